// The editor: text, highlighting, completion, problems, pages of the reference.

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap, type CompletionContext } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { diagnosticCount, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { Compartment, EditorState, type Extension, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, drawSelection, highlightActiveLine, hoverTooltip, keymap, lineNumbers, type DecorationSet } from "@codemirror/view";
import { highlight, language } from "./highlight";
import { markdown } from "./markdown";
import type { LanguageId, Problem, Word } from "./protocol";

interface Help {
  words(language: LanguageId): Promise<Word[]>;
  explain(language: LanguageId, word: string): Promise<string | null>;
}

const mark = StateEffect.define<number | null>();

// The line that the debugger or the listing points at.
const marked = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(decorations, transaction) {
    decorations = decorations.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (!effect.is(mark)) continue;
      const lines = transaction.state.doc.lines;
      decorations =
        effect.value === null || effect.value < 1 || effect.value > lines
          ? Decoration.none
          : Decoration.set(Decoration.line({ class: "marked" }).range(transaction.state.doc.line(effect.value).from));
    }
    return decorations;
  },
  provide: (field) => EditorView.decorations.from(field),
});

export class Editor {
  readonly view: EditorView;
  private languages = new Compartment();
  private current: LanguageId = "x1k";
  private extensions: Extension[];
  // Texts that are not shown, with what was done to them, by names.
  private kept = new Map<string, EditorState>();
  private name = "";

  constructor(
    parent: HTMLElement,
    private help: Help,
    changed: (text: string) => void,
    lineChosen: (line: number) => void,
  ) {
    const update = EditorView.updateListener.of((update) => {
      if (update.docChanged) changed(update.state.doc.toString());
      else if (update.selectionSet && update.view.hasFocus) lineChosen(update.state.doc.lineAt(update.state.selection.main.head).number);
    });
    this.extensions = [
      lineNumbers(),
      lintGutter(),
      history(),
      drawSelection(),
      bracketMatching(),
      closeBrackets(),
      highlightActiveLine(),
      syntaxHighlighting(highlight),
      autocompletion({ override: [(context) => this.complete(context)], icons: false }),
      hoverTooltip((view, at) => this.hover(view, at)),
      marked,
      EditorView.contentAttributes.of({ "aria-label": "Text of the program", tabindex: "0", spellcheck: "false" }),
      keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...completionKeymap, ...lintKeymap, indentWithTab]),
      update,
    ];
    this.view = new EditorView({ parent, state: this.fresh("x1k", "") });
  }

  private fresh(id: LanguageId, doc: string): EditorState {
    return EditorState.create({ doc, extensions: [...this.extensions, this.languages.of(language(id))] });
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  // Shows another program.
  show(id: LanguageId, text: string) {
    this.kept.clear();
    this.name = "";
    this.current = id;
    this.view.setState(this.fresh(id, text));
  }

  // Shows another text of the program. One that was shown before comes back with what was done to it.
  turn(name: string, text: string) {
    this.kept.set(this.name, this.view.state);
    this.name = name;
    const kept = this.kept.get(name);
    this.view.setState(kept?.doc.toString() === text ? kept : this.fresh(this.current, text));
    this.setLanguage(this.current);
  }

  setLanguage(id: LanguageId) {
    this.current = id;
    this.view.dispatch({ effects: this.languages.reconfigure(language(id)) });
  }

  setProblems(problems: Problem[]) {
    if (problems.length === 0 && diagnosticCount(this.view.state) === 0) return;
    const end = this.view.state.doc.length;
    const diagnostics = problems.map(({ from, to, severity, code, message, help }) => ({
      from: Math.min(from, end),
      to: Math.min(Math.max(to, from), end),
      severity,
      source: code,
      message: help ? `${message}\n${help}` : message,
    }));
    this.view.dispatch(setDiagnostics(this.view.state, diagnostics));
  }

  markLine(line: number | null, scroll: boolean) {
    if (line === null && this.view.state.field(marked).size === 0) return;
    const effects: StateEffect<unknown>[] = [mark.of(line)];
    if (scroll && line !== null && line >= 1 && line <= this.view.state.doc.lines) {
      effects.push(EditorView.scrollIntoView(this.view.state.doc.line(line).from, { y: "center" }));
    }
    this.view.dispatch({ effects });
  }

  select(from: number, to: number) {
    const end = this.view.state.doc.length;
    this.view.dispatch({ selection: { anchor: Math.min(from, end), head: Math.min(to, end) }, scrollIntoView: true });
    this.view.focus();
  }

  private async complete(context: CompletionContext) {
    const word = context.matchBefore(/[.\w]+/);
    if (!word || (word.from === word.to && !context.explicit)) return null;
    const id = this.current;
    const words = await this.help.words(id);
    if (words.length === 0) return null;
    const options = words.map(({ name, kind, meaning }) => ({
      label: name.replace(/\[n\]$/, "["),
      displayLabel: name,
      detail: kind,
      info: async () => {
        const page = await this.help.explain(id, name);
        return page ? markdown(page) : document.createTextNode(meaning);
      },
    }));
    return { from: word.from, options, validFor: /^[.\w]*$/ };
  }

  private async hover(view: EditorView, at: number) {
    const line = view.state.doc.lineAt(at);
    const letters = /[\w.]/;
    let [from, to] = [at - line.from, at - line.from];
    while (from > 0 && letters.test(line.text[from - 1] ?? "")) from--;
    while (to < line.text.length && letters.test(line.text[to] ?? "")) to++;
    const word = line.text.slice(from, to);
    if (!/[A-Za-z]/.test(word)) return null;
    const page = await this.help.explain(this.current, word);
    if (page === null) return null;
    return { pos: line.from + from, end: line.from + to, above: true, create: () => ({ dom: markdown(page) }) };
  }
}

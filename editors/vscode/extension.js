// Starts `ctm dap`, or connects to one that runs.
const vscode = require("vscode");

function activate(context) {
    const factory = {
        createDebugAdapterDescriptor(session) {
            const { port } = session.configuration;
            if (port) {
                return new vscode.DebugAdapterServer(port);
            }
            const ctm = vscode.workspace.getConfiguration("ctm").get("path");
            return new vscode.DebugAdapterExecutable(ctm, ["dap"]);
        },
    };
    context.subscriptions.push(vscode.debug.registerDebugAdapterDescriptorFactory("ctm", factory));
}

module.exports = { activate };

// Interface blocks, and arrays between stages.
//// tolerance 1 4
//// vertex
#version 430
layout(location = 0) in vec2 corner; out Between { vec4 one; vec2 many[3]; } b;
void main() { gl_Position = vec4(corner, 0, 1); b.one = vec4(corner, corner.yx) * 0.5 + 0.5; for (int n = 0; n < 3; n++) b.many[n] = fract(corner * (n + 1) * 0.3); }
//// fragment
#version 430
in Between { vec4 one; vec2 many[3]; } b; out vec4 colour;
void main() { int n = int(gl_FragCoord.x) % 3; colour = vec4(b.many[n], b.one.xy) * 0.5 + b.one * 0.25; }

//! error: 18 more than 16 textures
uniform sampler2D t0;
uniform sampler2D t1;
uniform sampler2D t2;
uniform sampler2D t3;
uniform sampler2D t4;
uniform sampler2D t5;
uniform sampler2D t6;
uniform sampler2D t7;
uniform sampler2D t8;
uniform sampler2D t9;
uniform sampler2D t10;
uniform sampler2D t11;
uniform sampler2D t12;
uniform sampler2D t13;
uniform sampler2D t14;
uniform sampler2D t15;
uniform sampler2D t16;
void main() {
  vec2 p = gl_FragCoord.xy;
  gl_FragColor = texture2D(t0, p) + texture2D(t1, p) + texture2D(t2, p) + texture2D(t3, p) + texture2D(t4, p) + texture2D(t5, p) + texture2D(t6, p) + texture2D(t7, p) + texture2D(t8, p) + texture2D(t9, p) + texture2D(t10, p) + texture2D(t11, p) + texture2D(t12, p) + texture2D(t13, p) + texture2D(t14, p) + texture2D(t15, p) + texture2D(t16, p);
}

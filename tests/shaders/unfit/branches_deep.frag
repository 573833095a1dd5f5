//! error: any branches are nested more than 32 deep
uniform sampler2D t;
void main() {
  vec4 s = gl_FragCoord;
  if (s.x > 0.0) { s += texture2D(t, s.xy); 
  if (s.x > 1.0) { s += texture2D(t, s.xy); 
  if (s.x > 2.0) { s += texture2D(t, s.xy); 
  if (s.x > 3.0) { s += texture2D(t, s.xy); 
  if (s.x > 4.0) { s += texture2D(t, s.xy); 
  if (s.x > 5.0) { s += texture2D(t, s.xy); 
  if (s.x > 6.0) { s += texture2D(t, s.xy); 
  if (s.x > 7.0) { s += texture2D(t, s.xy); 
  if (s.x > 8.0) { s += texture2D(t, s.xy); 
  if (s.x > 9.0) { s += texture2D(t, s.xy); 
  if (s.x > 10.0) { s += texture2D(t, s.xy); 
  if (s.x > 11.0) { s += texture2D(t, s.xy); 
  if (s.x > 12.0) { s += texture2D(t, s.xy); 
  if (s.x > 13.0) { s += texture2D(t, s.xy); 
  if (s.x > 14.0) { s += texture2D(t, s.xy); 
  if (s.x > 15.0) { s += texture2D(t, s.xy); 
  if (s.x > 16.0) { s += texture2D(t, s.xy); 
  if (s.x > 17.0) { s += texture2D(t, s.xy); 
  if (s.x > 18.0) { s += texture2D(t, s.xy); 
  if (s.x > 19.0) { s += texture2D(t, s.xy); 
  if (s.x > 20.0) { s += texture2D(t, s.xy); 
  if (s.x > 21.0) { s += texture2D(t, s.xy); 
  if (s.x > 22.0) { s += texture2D(t, s.xy); 
  if (s.x > 23.0) { s += texture2D(t, s.xy); 
  if (s.x > 24.0) { s += texture2D(t, s.xy); 
  if (s.x > 25.0) { s += texture2D(t, s.xy); 
  if (s.x > 26.0) { s += texture2D(t, s.xy); 
  if (s.x > 27.0) { s += texture2D(t, s.xy); 
  if (s.x > 28.0) { s += texture2D(t, s.xy); 
  if (s.x > 29.0) { s += texture2D(t, s.xy); 
  if (s.x > 30.0) { s += texture2D(t, s.xy); 
  if (s.x > 31.0) { s += texture2D(t, s.xy); 
  if (s.x > 32.0) { s += texture2D(t, s.xy); 
  if (s.x > 33.0) { s += texture2D(t, s.xy); 
  if (s.x > 34.0) { s += texture2D(t, s.xy); 
  if (s.x > 35.0) { s += texture2D(t, s.xy); 
  if (s.x > 36.0) { s += texture2D(t, s.xy); 
  if (s.x > 37.0) { s += texture2D(t, s.xy); 
  if (s.x > 38.0) { s += texture2D(t, s.xy); 
  if (s.x > 39.0) { s += texture2D(t, s.xy); 
}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}
  gl_FragColor = s;
}

//! purpose: text that depends on conditions
//! size: 16 16
#define LEVEL 2
#define FEATURE
void main() {
  float r = 0.0;
#if LEVEL > 1 && defined(FEATURE)
  r += IJ.x;
#else
  r -= 100.0;
#endif
#ifdef MISSING
  r = 0.0;
#elif LEVEL == 2
  r += 0.5;
#endif
#undef FEATURE
#ifndef FEATURE
  r *= 2.0;
#endif
  gl_FragColor = vec4(r, IJ, 1.0);
}

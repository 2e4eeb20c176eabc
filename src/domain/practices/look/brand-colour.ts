import { type Colour, contrast, lightness, mix, withLightness } from './colours.ts';

/** Contrast of text by WCAG 2, level AA. */
export const TEXT_CONTRAST = 4.5;

/** The colours that the accent meets on a page: src/pages/design/tokens.css has the same values, and a test compares them. */
export const PAGE_COLOURS = {
  light: { ground: '#f3f5f8', surface: '#ffffff', onAccent: '#ffffff' },
  dark: { ground: '#0e1318', surface: '#171d24', onAccent: '#0b1622' },
} as const;
/** Share of the accent in its tint of a surface. */
const TINT = 0.09;
/** In the dark, the accent is drawn this light at least, so that it does not look dull. */
const LEAST_DARK_LIGHTNESS = 0.76;
const STEP = 0.004;

type Mode = keyof typeof PAGE_COLOURS;

/** The least contrast that a colour has as an accent: as text on each surface, and below the text of a button. */
export function accentContrast(colour: Colour, mode: Mode): number {
  const { ground, surface, onAccent } = PAGE_COLOURS[mode];
  const below = [ground, surface, onAccent, mix(colour, TINT, surface), mix(colour, TINT, ground)];
  return Math.min(...below.map((other) => contrast(colour, other)));
}

/** The colour itself where its text is legible on the light pages, else the nearest darker one of the same hue. */
export function nearestAccent(colour: Colour): Colour {
  let near = colour;
  for (let light = lightness(colour); accentContrast(near, 'light') < TEXT_CONTRAST && light > 0; light -= STEP) {
    near = withLightness(colour, light);
  }
  return near;
}

/** The colour for the dark pages: the same hue, as much lighter as legible text needs. */
export function darkAccent(colour: Colour): Colour {
  let light = Math.max(lightness(colour), LEAST_DARK_LIGHTNESS);
  let near = withLightness(colour, light);
  for (; accentContrast(near, 'dark') < TEXT_CONTRAST && light < 1; light += STEP) near = withLightness(colour, light);
  return near;
}

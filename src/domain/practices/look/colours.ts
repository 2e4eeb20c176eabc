/** A colour as six hexadecimal digits in lower case after a number sign: `#1b5cb3`. */
export type Colour = `#${string}`;

type Triple = readonly [number, number, number];

/** Reads `#1b5cb3`, `1B5CB3` or `#15c`. @returns null for everything else */
export function readColour(text: string): Colour | null {
  const [, digits = ''] = /^#?([\da-f]{3}|[\da-f]{6})$/i.exec(text.trim()) ?? [];
  if (digits === '') return null;
  const full = digits.length === 3 ? [...digits].map((digit) => digit + digit).join('') : digits;
  return `#${full.toLowerCase()}`;
}

/** Contrast ratio of two colours by WCAG 2, from 1 to 21. */
export function contrast(one: Colour, other: Colour): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

/** A colour over another. @param share of the upper one, from 0 to 1 */
export function mix(upper: Colour, share: number, lower: Colour): Colour {
  const below = channels(lower);
  return writeColour(mapTriple(channels(upper), (value, index) => value * share + (below[index] ?? 0) * (1 - share)));
}

/** Lightness as it is perceived, from 0 to 1 (OKLab). */
export const lightness = (colour: Colour): number => toOklab(colour)[0];

/** The same hue with another lightness, from 0 to 1. Where a screen cannot show it so vivid, it is paler. */
export function withLightness(colour: Colour, target: number): Colour {
  const [, a, b] = toOklab(colour);
  for (let vividness = 1; vividness > 0; vividness -= 0.02) {
    const linear = fromOklab([target, a * vividness, b * vividness]);
    if (linear.every((value) => value >= -0.0005 && value <= 1.0005)) return writeColour(mapTriple(linear, encode));
  }
  return writeColour(mapTriple(fromOklab([target, 0, 0]), encode));
}

/** Red, green and blue from 0 to 1. */
function channels(colour: Colour): Triple {
  const number = Number.parseInt(colour.slice(1), 16);
  return [(number >> 16) / 255, ((number >> 8) & 255) / 255, (number & 255) / 255];
}

function writeColour(values: Triple): Colour {
  const digits = values.map((value) =>
    Math.round(Math.min(1, Math.max(0, value)) * 255)
      .toString(16)
      .padStart(2, '0'),
  );
  return `#${digits.join('')}`;
}

const mapTriple = ([x, y, z]: Triple, change: (value: number, index: number) => number): Triple => [
  change(x, 0),
  change(y, 1),
  change(z, 2),
];

const decode = (value: number): number => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
const encode = (value: number): number => (value <= 0.0031308 ? value * 12.92 : 1.055 * Math.max(0, value) ** (1 / 2.4) - 0.055);

function luminance(colour: Colour): number {
  const [red, green, blue] = mapTriple(channels(colour), decode);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

// OKLab: https://bottosson.github.io/posts/oklab/
function toOklab(colour: Colour): Triple {
  const [red, green, blue] = mapTriple(channels(colour), decode);
  const [l, m, s] = mapTriple(
    [
      0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue,
      0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue,
      0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue,
    ],
    Math.cbrt,
  );
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

/** @returns linear red, green and blue; below 0 or above 1 where no screen shows the colour */
function fromOklab([lightness, a, b]: Triple): Triple {
  const [l, m, s] = mapTriple(
    [
      lightness + 0.3963377774 * a + 0.2158037573 * b,
      lightness - 0.1055613458 * a - 0.0638541728 * b,
      lightness - 0.0894841775 * a - 1.291485548 * b,
    ],
    (value) => value ** 3,
  );
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

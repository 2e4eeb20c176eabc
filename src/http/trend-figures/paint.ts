import { html } from 'ghtml';

/**
 * The colours of a figure by their meaning. They are those of the pages (src/pages/design/tokens.css), whose style sheet sets them
 * anew for a figure within a page; a test compares the two.
 */
export const FIGURE_COLOURS = {
  light: {
    surface: '#ffffff',
    text: '#16202c',
    quiet: '#4b5766',
    line: '#dde3ea',
    reading: '#1b5cb3',
    target: '#12683f',
    watch: '#855000',
    danger: '#b0241c',
  },
  dark: {
    surface: '#171d24',
    text: '#edf1f5',
    quiet: '#a8b3c1',
    line: '#2c3641',
    reading: '#8dbcf9',
    target: '#83d8ab',
    watch: '#f2c063',
    danger: '#ffaea6',
  },
} as const;

export type FigureColour = keyof typeof FIGURE_COLOURS.light;

export interface Paint {
  fill?: FigureColour;
  stroke?: FigureColour;
  /** Of the stroke, in pixels; 1 where absent. */
  width?: number;
  /** Lengths of the dashes and of the gaps between them. */
  dash?: string;
}

/**
 * Attributes that paint a shape, for the inside of a tag. The colours of light surfaces are attributes, so that programs without
 * style sheets draw the figure too; the classes let a style sheet set others.
 */
export function paint({ fill, stroke, width = 1, dash }: Paint): string {
  const classes = [fill && `fill-${fill}`, stroke && `stroke-${stroke}`].filter(Boolean).join(' ');
  const { light } = FIGURE_COLOURS;
  const line = stroke === undefined ? '' : html` stroke="${light[stroke]}" stroke-width="${width}"`;
  return html` class="${classes}" fill="${fill === undefined ? 'none' : light[fill]}"!${line}!${dash === undefined ? '' : html` stroke-dasharray="${dash}"`}`;
}

const writeRules = (colours: Record<string, string>): string =>
  Object.entries(colours)
    .map(([name, colour]) => `.fill-${name}{fill:${colour}}.stroke-${name}{stroke:${colour}}`)
    .join('');

/** The style sheet of a figure that is a picture of its own: its colours where dark surfaces are preferred. */
export const DARK_FIGURE = `@media (prefers-color-scheme:dark){${writeRules(FIGURE_COLOURS.dark)}}`;

/** A coordinate with one decimal. */
export const px = (value: number): number => Math.round(value * 10) / 10;

import { html } from '../../html.ts';

/** Attributes of an element by their names. True writes the name alone; undefined, null and false write nothing. */
export type Attributes = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Writes attributes for the inside of a tag, each with a blank before it. */
export const writeAttributes = (attributes: Attributes): string =>
  Object.entries(attributes)
    .map(([name, value]) => {
      if (value === undefined || value === null || value === false) return '';
      return value === true ? html` ${name}` : html` ${name}="${value}"`;
    })
    .join('');

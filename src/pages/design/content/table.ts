import { html } from '../../html.ts';

export interface Table {
  /** Says which rows these are; also the name of the region that scrolls. */
  caption: string;
  /** Whether the caption is only heard, because a heading beside the table says it. */
  isCaptionHidden?: boolean;
  /** Whether each row is a block of its own on a telephone: its first cell, and below it the others beside the names of their columns. */
  isStacked?: boolean;
  columns: readonly TableColumn[];
  /** Markup of the cells, a row each, made by `html`. */
  rows: readonly (readonly string[])[];
}

export interface TableColumn {
  label: string;
  /** Stands at the right, with its digits below each other. */
  isNumber?: boolean;
}

/**
 * Rows and columns; where they need more room than there is, the table scrolls by itself. Browsers forget that rows are rows where a style
 * stacks them, unless their roles say so. `<div class="table"><table>`
 */
export const table = ({ caption, isCaptionHidden = false, isStacked = false, columns, rows }: Table): string => html`
<div class="table!${isStacked ? ' stacked' : ''}" role="region" aria-label="${caption}" tabindex="0"><table role="table">
<caption!${isCaptionHidden ? ' class="visually-hidden"' : ''}>${caption}</caption>
<thead><tr role="row">!${columns.map(({ label, isNumber }) => html`<th role="columnheader" scope="col"!${numberClass(isNumber)}>${label}</th>`).join('')}</tr></thead>
<tbody>!${rows.map((cells) => html`<tr role="row">!${cells.map((cell, index) => html`<td role="cell" data-label="${columns[index]?.label ?? ''}"!${numberClass(columns[index]?.isNumber)}>!${cell}</td>`).join('')}</tr>`).join('\n')}</tbody>
</table></div>`;

const numberClass = (isNumber = false): string => (isNumber ? ' class="number"' : '');

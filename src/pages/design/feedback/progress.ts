import { html } from '../../html.ts';
import { writeAttributes } from '../forms/attributes.ts';

export interface Progress {
  id: string;
  label: string;
  /** Of `max`; absent where nobody knows how long it takes. */
  value?: number;
  /** 100 where absent. */
  max?: number;
  /** The state in words, at the end of the line, such as `Step 2 of 3`. */
  text?: string;
}

/** A bar that shows progress. `<div class="progress">…<progress>` */
export const progress = ({ id, label, value, max = 100, text }: Progress): string => html`
<div class="progress"><div class="progress-label"><label for="${id}">${label}</label>!${text === undefined ? '' : html`<span class="hint">${text}</span>`}</div>
<progress!${writeAttributes({ id, max, value })}></progress></div>`;

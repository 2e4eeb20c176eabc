import { html } from 'ghtml';
import type { TrendValue } from '../../domain/monitoring/trends/trend.ts';
import { type FigureColour, paint, px } from './paint.ts';

/** The shape of a mark says where the value is, so that nobody needs its colour. */
export type MarkShape = 'within' | 'above' | 'below' | 'danger';
/** Its inside says where the value is from. */
export type MarkFilling = 'device' | 'self' | 'staff';

export interface Mark {
  x: number;
  y: number;
  shape: MarkShape;
  filling: MarkFilling;
  /** Half of the width, in pixels. */
  size: number;
}

const COLOURS: Record<MarkShape, FigureColour> = { within: 'reading', above: 'watch', below: 'watch', danger: 'danger' };

/**
 * A circle within the target, a triangle out of it that points away from it, a diamond in danger; filled from a device, hollow from
 * the patient, with a dot from the staff.
 */
export function drawMark({ x, y, shape, filling, size }: Mark): string {
  const colour = COLOURS[shape];
  const look = paint({ fill: filling === 'device' ? colour : 'surface', stroke: colour, width: size < 4 ? 1.25 : 1.75 });
  const outline = html`<path d="${writeOutline({ x, y, shape, size })}"!${look}/>`;
  return filling === 'staff'
    ? html`!${outline}<circle cx="${px(x)}" cy="${px(y)}" r="${px(size * 0.4)}"!${paint({ fill: colour })}/>`
    : outline;
}

function writeOutline({ x, y, shape, size }: Omit<Mark, 'filling'>): string {
  const writePoint = (dx: number, dy: number) => `${px(x + dx)} ${px(y + dy)}`;
  switch (shape) {
    case 'within':
      return `M${writePoint(-size, 0)}a${size} ${size} 0 1 0 ${2 * size} 0a${size} ${size} 0 1 0 ${-2 * size} 0Z`;
    case 'above':
      return `M${writePoint(0, -size * 1.3)}L${writePoint(size * 1.2, size * 0.9)}L${writePoint(-size * 1.2, size * 0.9)}Z`;
    case 'below':
      return `M${writePoint(0, size * 1.3)}L${writePoint(size * 1.2, -size * 0.9)}L${writePoint(-size * 1.2, -size * 0.9)}Z`;
    case 'danger':
      return `M${writePoint(0, -size * 1.6)}L${writePoint(size * 1.6, 0)}L${writePoint(0, size * 1.6)}L${writePoint(-size * 1.6, 0)}Z`;
  }
}

/** The shape of a value by its limits at that time. */
export function chooseShape({ severity, side }: TrendValue): MarkShape {
  if (severity === 'danger') return 'danger';
  return severity === 'watch' ? side : 'within';
}

import { asSeen } from './same-text.ts';

/** A unit that can be converted: `value * factor + offset` in the base unit of its quantity. */
interface Unit {
  quantity: 'mass' | 'temperature' | 'length' | 'pressure' | 'rate' | 'count';
  factor: number;
  offset: number;
}

const unit = (quantity: Unit['quantity'], factor: number, offset = 0): Unit => ({ quantity, factor, offset });

/** Units in their spellings, in lower case: as people write them, and as UCUM does, whose codes devices send. */
const SPELLINGS: readonly (readonly [Unit, readonly string[]])[] = [
  [unit('mass', 1), ['kg', 'kgs', 'kilogram', 'kilograms', 'kilo', 'kilos', 'kilogramo', 'kilogramos']],
  [unit('mass', 0.001), ['g', 'gm', 'gram', 'grams', 'gramo', 'gramos']],
  [unit('mass', 0.028_349_523_125), ['oz', 'ounce', 'ounces', 'onza', 'onzas', '[oz_av]']],
  [unit('mass', 6.350_293_18), ['st', 'stone', 'stones', '[stone_av]']],
  [unit('mass', 0.453_592_37), ['lb', 'lbs', 'pound', 'pounds', 'libra', 'libras', '[lb_av]']],
  [unit('temperature', 1), ['°c', 'c', 'cel', 'celsius', 'deg c', 'degrees c', 'grados c']],
  [unit('temperature', 5 / 9, -160 / 9), ['°f', 'f', '[degf]', 'fahrenheit', 'deg f', 'degrees f', 'grados f']],
  [unit('length', 1), ['cm', 'centimeter', 'centimeters']],
  [unit('length', 0.1), ['mm', 'millimeter', 'millimeters']],
  [unit('length', 100), ['m', 'meter', 'meters', 'metro', 'metros']],
  [unit('length', 30.48), ['ft', 'foot', 'feet', 'pie', 'pies', '[ft_i]']],
  [unit('length', 2.54), ['in', 'inch', 'inches', 'pulgada', 'pulgadas', '[in_i]']],
  [unit('pressure', 1), ['mmhg', 'mm hg', 'mm[hg]']],
  [unit('pressure', 760 / 101.325), ['kpa']],
  [
    unit('rate', 1),
    ['/min', '1/min', 'min-1', 'per minute', 'por minuto', 'bpm', 'beats/min', 'beats per minute', 'lpm', 'latidos por minuto'],
  ],
  [unit('rate', 1), ['breaths/min', 'breaths per minute', 'brpm', 'rpm', 'respiraciones por minuto']],
  [unit('rate', 60), ['/s', '1/s', 's-1', 'per second', 'hz']],
  [unit('rate', 1 / 60), ['/h', '1/h', 'h-1', 'per hour', 'por hora']],
  [unit('count', 1), ['1', 'step', 'steps', 'paso', 'pasos', 'count']],
];
const UNITS = new Map(SPELLINGS.flatMap(([known, spellings]) => spellings.map((spelling) => [spelling, known] as const)));

/** An annotation of UCUM, which says what is counted: `{beats}/min` is `/min`. */
const ANNOTATION = /\{([^{}]*)\}/g;

/**
 * Blanks within a unit, a full stop behind it and the sign of an ordinal number for that of degrees make no difference. An annotation alone is
 * no unit, and is written as its own word.
 */
function toSpelling(written: string): string {
  const seen = asSeen(written.replaceAll('º', '°'))
    .toLowerCase()
    .replaceAll(/(?<=°) | ?\.$|^ | $/g, '');
  return seen.replaceAll(ANNOTATION, '') || seen.replaceAll(ANNOTATION, '$1');
}

/** Whether a text names no unit: an annotation alone, or the one of UCUM. */
export const isNoUnit = (written: string): boolean => ['', '1'].includes(written.replaceAll(ANNOTATION, '').trim());

/**
 * A value in the unit of its item, rounded to three decimals.
 * @param from as it was sent; compared in any case
 * @param to the item's unit
 * @returns null where the units measure different things, or are not known to be convertible
 */
export function convertReading(value: number, from: string, to: string): number | null {
  const [sent, wanted] = [toSpelling(from), toSpelling(to)];
  if (sent === wanted) return rounded(value);
  const [source, target] = [UNITS.get(sent), UNITS.get(wanted)];
  if (!source || !target || source.quantity !== target.quantity) return null;
  if (source === target) return rounded(value);
  return rounded((value * source.factor + source.offset - target.offset) / target.factor);
}

/** To three decimals, the half away from zero, as a person rounds; without the sign of a zero. */
export const rounded = (value: number): number => {
  // A decimal fraction such as 1.0005 lies a little below itself in binary.
  const thousandths = Math.round(Math.abs(value) * 1_000 * (1 + Number.EPSILON));
  return (Math.sign(value) * thousandths) / 1_000 + 0;
};

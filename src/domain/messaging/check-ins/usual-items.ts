import { convertReading } from '../../values/reading-units.ts';
import { hasWords } from '../../values/same-text.ts';
import type { MeasuredItem } from './measured-items.sql.ts';

/** Remote monitoring counts an item for the service of its kind alone. */
export const ITEM_KINDS = ['physiologic', 'respiratory', 'musculoskeletal', 'cognitive_behavioral'] as const;
export type ItemKind = (typeof ITEM_KINDS)[number];

/** A usual item: values outside of the bounds are errors of the device or the hand. */
interface UsualItem {
  /** One of these is in the name; any name where there are none. */
  words: readonly string[];
  /** The unit of the bounds, into which the item's own converts; null: any. */
  unit: string | null;
  min: number | null;
  max: number | null;
  kind: ItemKind;
}

const usual = (
  kind: ItemKind,
  words: readonly string[],
  [min, max]: [number | null, number | null],
  unit: string | null = null,
): UsualItem => ({
  words,
  unit,
  min,
  max,
  kind,
});

/** The first that fits decides. */
const USUAL_ITEMS: readonly UsualItem[] = [
  usual('musculoskeletal', ['step', 'steps', 'pasos'], [0, 200_000]),
  usual('musculoskeletal', ['range of motion', 'flexion', 'extension', 'rango de movimiento', 'flexión', 'extensión'], [-180, 360]),
  usual('musculoskeletal', ['pain', 'dolor'], [0, 100]),
  usual('respiratory', ['inhaler', 'inhalers', 'puffs', 'inhalador', 'inhalaciones'], [0, 200]),
  usual('cognitive_behavioral', ['mood', 'anxiety', 'depression', 'PHQ 9', 'GAD 7', 'ánimo', 'ansiedad', 'depresión'], [0, 100]),
  usual('physiologic', ['systolic', 'sistólica'], [20, 350], 'mmHg'),
  usual('physiologic', ['diastolic', 'diastólica'], [10, 250], 'mmHg'),
  usual('physiologic', [], [5, 350], 'mmHg'),
  usual('physiologic', [], [70, 120], '°F'),
  usual('physiologic', [], [0.5, 1_500], 'lb'),
  usual('physiologic', ['glucose', 'sugar', 'glucosa', 'azúcar', 'glucemia'], [5, 2_000], 'mg/dL'),
  usual('physiologic', [], [0.1, 20_000], 'mg/dL'),
  usual('physiologic', [], [0.1, 200], 'mmol/L'),
  usual('physiologic', ['saturation', 'SpO2', 'oxygen', 'saturación', 'oxígeno'], [30, 100], '%'),
  usual('physiologic', ['pulse', 'heart rate', 'pulso', 'frecuencia cardíaca'], [10, 350]),
  usual('physiologic', ['respiratory rate', 'breaths', 'frecuencia respiratoria'], [1, 150]),
  usual('physiologic', ['peak flow', 'flujo máximo'], [10, 1_200]),
];

/** Bounds of plausible values, both included; null for none. */
export interface PlausibleRange {
  min: number | null;
  max: number | null;
}

/** The usual item that a name and a unit are of. */
const findUsual = ({ name, unit }: Pick<MeasuredItem, 'name' | 'unit'>): UsualItem | undefined =>
  USUAL_ITEMS.find(
    (one) =>
      (one.words.length === 0 || one.words.some((words) => hasWords(name, words))) &&
      (one.unit === null || (unit !== null && convertReading(1, one.unit, unit) !== null)),
  );

/** The kind of an item by its name and unit. What is unknown counts as physiologic. */
export const usualKind = (item: Pick<MeasuredItem, 'name' | 'unit'>): ItemKind => findUsual(item)?.kind ?? 'physiologic';

/** The plausible values of an item in its unit: its own bounds, else those of a usual item. */
export function plausibleRange({ plausibleMin, plausibleMax, ...item }: Omit<MeasuredItem, 'id'>): PlausibleRange {
  const { unit = null, min = null, max = null } = findUsual(item) ?? {};
  const inUnit = (bound: number | null) =>
    bound === null || unit === null || item.unit === null ? bound : convertReading(bound, unit, item.unit);
  return { min: plausibleMin ?? inUnit(min), max: plausibleMax ?? inUnit(max) };
}

export const isPlausible = ({ min, max }: PlausibleRange, value: number): boolean =>
  (min === null || value >= min) && (max === null || value <= max);

/** `from 20 to 350 mmHg` */
export function writeRange({ min, max }: PlausibleRange, unit: string | null): string {
  const ends = max === null ? `at least ${min}` : min === null ? `at most ${max}` : `from ${min} to ${max}`;
  return unit === null ? ends : `${ends} ${unit}`;
}

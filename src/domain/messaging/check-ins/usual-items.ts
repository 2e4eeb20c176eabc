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
  /** Codes of LOINC for it: the first is shown. */
  loinc: readonly string[];
}

const usual = (
  kind: ItemKind,
  words: readonly string[],
  [min, max]: [number | null, number | null],
  unit: string | null = null,
  ...loinc: string[]
): UsualItem => ({
  words,
  unit,
  min,
  max,
  kind,
  loinc,
});

/** The first that fits decides. */
const USUAL_ITEMS: readonly UsualItem[] = [
  usual('musculoskeletal', ['step', 'steps', 'pasos'], [0, 200_000], null, '41950-7', '55423-8'),
  usual('musculoskeletal', ['range of motion', 'flexion', 'extension', 'rango de movimiento', 'flexión', 'extensión'], [-180, 360]),
  usual('musculoskeletal', ['pain', 'dolor'], [0, 100], null, '72514-3'),
  usual('respiratory', ['inhaler', 'inhalers', 'puffs', 'inhalador', 'inhalaciones'], [0, 200]),
  usual('cognitive_behavioral', ['mood', 'anxiety', 'depression', 'PHQ 9', 'GAD 7', 'ánimo', 'ansiedad', 'depresión'], [0, 100]),
  usual('physiologic', ['systolic', 'sistólica'], [20, 350], 'mmHg', '8480-6'),
  usual('physiologic', ['diastolic', 'diastólica'], [10, 250], 'mmHg', '8462-4'),
  usual('physiologic', [], [5, 350], 'mmHg'),
  usual('physiologic', [], [70, 120], '°F', '8310-5'),
  usual('physiologic', [], [0.5, 1_500], 'lb', '29463-7', '3141-9'),
  usual('physiologic', ['glucose', 'sugar', 'glucosa', 'azúcar', 'glucemia'], [5, 2_000], 'mg/dL', '2339-0', '41653-7'),
  usual('physiologic', [], [0.1, 20_000], 'mg/dL'),
  usual('physiologic', [], [0.1, 200], 'mmol/L'),
  usual('physiologic', ['saturation', 'SpO2', 'oxygen', 'saturación', 'oxígeno'], [30, 100], '%', '59408-5', '2708-6'),
  usual('physiologic', ['pulse', 'heart rate', 'pulso', 'frecuencia cardíaca'], [10, 350], null, '8867-4'),
  usual('physiologic', ['respiratory rate', 'breaths', 'frecuencia respiratoria'], [1, 150], null, '9279-1'),
  usual('physiologic', ['peak flow', 'flujo máximo'], [10, 1_200], null, '33452-4'),
];

/** Bounds of plausible values, both included; null for none. */
export interface PlausibleRange {
  min: number | null;
  max: number | null;
}

const findUsual = ({ name, unit }: Pick<MeasuredItem, 'name' | 'unit'>): UsualItem | undefined =>
  USUAL_ITEMS.find(
    (one) =>
      (one.words.length === 0 || hasWords(name, ...one.words)) &&
      (one.unit === null || (unit !== null && convertReading(1, one.unit, unit) !== null)),
  );

/** The kind of an item by its name and unit. What is unknown counts as physiologic. */
export const usualKind = (item: Pick<MeasuredItem, 'name' | 'unit'>): ItemKind => findUsual(item)?.kind ?? 'physiologic';

/** The code of LOINC of an item by its name and unit; null where there is none. */
export const usualLoinc = (item: Pick<MeasuredItem, 'name' | 'unit'>): string | null => findUsual(item)?.loinc[0] ?? null;

export const hasLoinc = (item: Pick<MeasuredItem, 'name' | 'unit'>, code: string): boolean =>
  findUsual(item)?.loinc.includes(code) ?? false;

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

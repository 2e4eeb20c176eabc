import type { Faker } from '@faker-js/faker';
import type { PatientRow } from './plan.ts';
import type { Seeding } from './seeding.ts';

/** The inputs from which one chart is drawn. */
export interface PatientDraw {
  seeding: Seeding;
  random: Faker;
  employerIds: readonly number[];
  /** Counts from 0. */
  position: number;
  /** Fixed values. */
  fixed: PatientRow;
  /** One of those whom a newcomer looks at first: can be reached, and has a medical record number. */
  isNotable: boolean;
}

const PLAIN: Readonly<Record<string, string>> = { ł: 'l', ø: 'o', æ: 'ae', đ: 'd', ß: 'ss' };

/** A name in the format of a mail address. */
export function plainLetters(name: string | null | undefined): string {
  const lower = (name ?? '').toLowerCase().replace(/[łøæđß]/g, (letter) => PLAIN[letter] ?? '');
  return lower.normalize('NFD').replace(/[^a-z]/g, '');
}

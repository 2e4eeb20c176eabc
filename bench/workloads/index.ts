import { randomInt } from 'node:crypto';
import type { PracticePlan } from '../data/practices.ts';
import { mix, type Share } from './mix.ts';
import { mobileWorkloads } from './mobile.ts';
import { practiceWorkloads } from './practice.ts';
import type { Workload } from './workload.ts';
import { createPatient, updatePatient } from './writes.ts';

/** The number of patients that are updated in rotation. */
export const SAMPLE = 2_000;

/** @param sample ids of so many patients from all over the practice, neither deleted nor restricted */
export function workloads(large: PracticePlan, sample: readonly number[], only: string | null): Workload[] {
  const seed = randomInt(2 ** 31);
  const reading = [
    ...practiceWorkloads(
      large,
      sample.filter((_, place) => place % 10 === 0),
    ),
    ...mobileWorkloads(),
  ];
  const part = (name: string, ofHundred: number): Share => {
    const workload = reading.find((one) => one.name === name);
    if (!workload) throw new Error(`there is no workload ${name}`);
    return { workload, ofHundred };
  };
  const mixed = mix([
    part('one-patient', 40),
    part('name-search', 25),
    part('day-of-user', 10),
    part('month-of-office-200', 5),
    { workload: createPatient(large, seed), ofHundred: 10 },
    { workload: updatePatient(sample, seed), ofHundred: 10 },
  ]);
  const all = [...reading, createPatient(large, seed + 1), updatePatient(sample, seed + 1), mixed];
  return only === null ? all : all.filter(({ name }) => name.includes(only));
}

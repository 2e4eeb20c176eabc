import type { PracticePlan } from '../data/practices.ts';
import { mobileWorkloads } from './mobile.ts';
import { practiceWorkloads } from './practice.ts';
import type { Workload } from './workload.ts';

export function workloads(large: PracticePlan, sample: readonly number[], only: string | null): Workload[] {
  const all = [...practiceWorkloads(large, sample), ...mobileWorkloads()];
  return only === null ? all : all.filter(({ name }) => name.includes(only));
}

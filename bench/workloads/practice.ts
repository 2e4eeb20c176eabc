import type { PracticePlan } from '../data/practices.ts';
import { reads, type Workload } from './workload.ts';

/** Common, rare, in the middle of a name, with accents, with two names, after an apostrophe, of an office. */
const SEARCHES = [
  'lastname=smith',
  'lastname=Garc%C3%ADa',
  'lastname=cruz',
  'lastname=wis',
  'lastname=nunez&firstname=jos',
  'lastname=mill&firstname=a',
  'firstname=zoe',
  "lastname=o'neil",
  'lastname=john&departmentid=7',
];

/**
 * The practice API's workloads, on one practice.
 * @param sample ids of patients from all over it, neither deleted nor restricted
 */
export function practiceWorkloads({ organizationId, patients }: PracticePlan, sample: readonly number[]): Workload[] {
  const path = `/v1/${organizationId}/patients`;
  const common = { client: 'client', rows: 'patients' } as const;
  const list = [
    {
      ...common,
      name: 'name-search',
      title: `name search, 50 of ${patients.toLocaleString('en')} with totalcount`,
      connections: 8,
      paths: SEARCHES.map((search) => `${path}?${search}&limit=50`),
    },
    { ...common, name: '1500-records', title: '1,500 full records', connections: 4, paths: pages(path, 1_500, patients) },
    { ...common, name: '5000-records', title: '5,000 full records', connections: 4, paths: pages(path, 5_000, patients) },
    {
      ...common,
      name: 'one-patient',
      title: 'one patient, all fields',
      rows: 'body',
      connections: 32,
      paths: sample.map((id) => `${path}/${id}`),
    },
  ] as const;
  return list.map(reads);
}

/** First pages of several offices, where each has a twenty-fourth of the practice; of a small practice, pages of all. */
function pages(path: string, limit: number, patients: number): string[] {
  if (patients < 500_000) return [0, 1, 2, 3].map((page) => `${path}?limit=${limit}&offset=${page * limit}`);
  return [3, 8, 13, 18].map((office) => `${path}?departmentid=${office}&limit=${limit}`);
}

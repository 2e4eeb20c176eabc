import { randomInt } from 'node:crypto';
import type { Keyring } from '../../src/database/encryption/keyring.ts';
import type { PracticePlan } from '../data/practices.ts';
import { mix, type Share } from './mix.ts';
import { mobileWorkloads } from './mobile.ts';
import { answerCheckIn, sendReadings } from './monitoring.ts';
import { practiceWorkloads } from './practice.ts';
import { bookAppointment, moveAppointment } from './scheduling.ts';
import { confirmByText, queueText } from './texting.ts';
import type { Workload } from './workload.ts';
import { createPatient, updatePatient } from './writes.ts';

/** The number of patients that are updated in rotation. */
export const SAMPLE = 2_000;

/** Where the requests of a day's writes find their records. */
interface DayRecords {
  /** Patients and appointments to come of the large practice. */
  patients: readonly number[];
  appointments: readonly number[];
  /** Patients of the practice that texts. */
  texted: readonly number[];
  keyring: Keyring;
}

/** What people of a practice, its patients and their devices write all day. Only this server and the floor are measured with them. */
export function dayWorkloads({ patients, appointments, texted, keyring }: DayRecords): Workload[] {
  const seed = randomInt(2 ** 31);
  return [
    bookAppointment(patients, seed),
    moveAppointment(appointments, seed),
    queueText(),
    confirmByText(keyring, seed),
    answerCheckIn(seed),
    sendReadings(texted, seed),
  ];
}

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

import { z } from 'zod';
import { PATIENT_LIMITS } from '../../../../domain/patients/field-limits.ts';
import type { BestMatchQuery } from '../../../../domain/patients/registration/possible-matches.ts';
import { alsoNamed } from '../../../../http/input/query.ts';
import { email, id, optional, phone, text, toNumber, zip } from '../../../../http/wire/wire-types.ts';
import { option } from '../../parameters.ts';
import { givenUsDay, US_DAY_PATTERN } from '../record/patient-form.wire.ts';
import { ssnParameter } from './patient-search.wire.ts';

const name = () => text(PATIENT_LIMITS.name).min(1);
const notCompared = () => optional(text(PATIENT_LIMITS.name)).describe('Ignored: not compared');

/** Points, which may have decimals. */
const score = () => {
  const error = 'must be a number from 0 to 100';
  const read = toNumber(3);
  const readScore = (sent: unknown) => (typeof sent === 'string' && /^\d{1,3}\.\d{1,6}$/.test(sent.trim()) ? Number(sent) : read(sent));
  return z.preprocess(readScore, z.number({ error }).min(0, { error }).max(100, { error }).optional()).optional();
};

export const bestMatchQuery = z.object({
  firstname: name().describe('First name'),
  lastname: name().describe('Last name'),
  dob: givenUsDay().meta({ pattern: US_DAY_PATTERN }).describe('Birth date, mm/dd/yyyy'),
  email: optional(email()).describe('Email address'),
  homephone: optional(phone()).describe('Compared with all telephone numbers of the chart'),
  mobilephone: alsoNamed(optional(phone()), 'anyphone').describe('Compared with all telephone numbers of the chart'),
  workphone: optional(phone()).describe('Compared with all telephone numbers of the chart'),
  zip: optional(zip()).describe('The first five digits are compared'),
  ssn: optional(ssnParameter()).describe('Nine digits, with both hyphens or none'),
  minscore: score().describe('Minimum score of a chart; at least 16'),
  returnbestmatches: option().describe('Return up to five charts instead of the best one'),
  departmentid: optional(id()).describe('Has no effect: every chart of the practice is compared'),
  preferredname: notCompared(),
  suffix: notCompared(),
  guarantoremail: notCompared(),
  guarantorphone: notCompared(),
  usesoundexsearch: option()
    .refine((sent) => !sent, 'must be false: names are not compared by sound')
    .describe('Must be false'),
});

/** @param hashSsn the hashes of a social security number, under all master keys */
export const toBestMatch = (query: z.output<typeof bestMatchQuery>, hashSsn: (ssn: string) => Uint8Array[]): BestMatchQuery => ({
  person: { firstName: query.firstname, lastName: query.lastname, birthDate: query.dob, zip: query.zip, email: query.email },
  phones: [query.homephone, query.mobilephone, query.workphone].filter((number) => typeof number === 'string'),
  ssnHashes: query.ssn ? hashSsn(query.ssn) : [],
  leastScore: query.minscore ?? 0,
  several: query.returnbestmatches,
});

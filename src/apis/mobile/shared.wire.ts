import { z } from 'zod';
import { PATIENT_LIMITS } from '../../domain/patients/field-limits.ts';
import { recordNumber } from '../../domain/values/text-form.ts';
import { alsoNamed, filterNames } from '../../http/input/query.ts';
import { bit, dateBound, id, text } from '../../http/wire/wire-types.ts';

export { direction, NoContent, one, optionalSortBy, sortBy, wrapList, writePage } from '../../http/wire/envelopes.ts';

export const WarningsShape = z
  .array(z.strictObject({ code: z.string().describe('Stable, as in the header Warning-Codes'), detail: z.string() }))
  .describe('Unusual things about the request; empty if there are none');

/** The patient's answer to a confirmation request. */
export const confirmations = z.enum(['Yes', 'No', 'Pending']);

/** DATE: days or date-times, with an offset or in the zone of the caller's organization. */
export const DATE = {
  min_appointment_date: dateBound().optional().describe('ISO 8601; values without an offset are in the organization’s time zone'),
  max_appointment_date: dateBound().optional().describe('ISO 8601; values without an offset are in the organization’s time zone'),
};

/** Repeated ids: `user[]=1&user[]=2`. */
export const ids = () =>
  z.preprocess((sent) => (sent === undefined || Array.isArray(sent) ? sent : [sent]), z.array(id()).max(200).optional());

export const FILTER = {
  type: alsoNamed(id().optional(), 'appointment_type', 'appointment_type_id', 'type_id').describe('Appointment type id'),
  office: alsoNamed(id().optional(), ...filterNames('office')).describe('Office id'),
  location: alsoNamed(id().optional(), ...filterNames('location')).describe('Location id'),
  'user[]': ids().describe('User ids'),
  external_id: text(PATIENT_LIMITS.externalId, recordNumber).optional().describe('Id in the system that the appointment was imported from'),
};

export const PATIENT = { patient: alsoNamed(id().optional(), ...filterNames('patient')).describe('Patient id') };

export const TASKS = {
  show_on_tasks: bit().optional().describe('1 or 0'),
};

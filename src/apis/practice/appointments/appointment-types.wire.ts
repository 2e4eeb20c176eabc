import { z } from 'zod';
import type { AppointmentTypeRecord } from '../../../domain/scheduling/types/appointment-type-records.ts';
import { alsoNamed } from '../../../http/input/query.ts';
import { id } from '../../../http/wire/wire-types.ts';
import { paging } from '../paging.ts';
import { idList, option } from '../parameters.ts';

/** An appointment type as public clients of practice systems read it; some refuse any other member. */
export const AppointmentTypeShape = z
  .strictObject({
    appointmenttypeid: z.int().describe('Appointment type id'),
    name: z.string().describe('Name in the schedule'),
    shortname: z.string().describe('The first four letters of the name, in capitals'),
    patientdisplayname: z.string().describe('Name for patients, equal to name'),
    duration: z.int().describe('Minutes'),
    generic: z.literal(false).describe('Always false: no type is generic'),
    patient: z.literal(true).describe('Always true: every type is for patients'),
    templatetypeonly: z.literal(false).describe('Always false: there are no template types'),
    createencounteroncheckin: z.literal(false).describe('Always false: a check-in does not create an encounter'),
  })
  .meta({ id: 'AppointmentType' });

export const appointmentTypeParams = z.object({ appointmenttypeid: id().describe('Appointment type id') });

export const appointmentTypesQuery = z.object({
  hidegeneric: option().describe('Omit generic types; there are none'),
  hidenongeneric: option().describe('Omit types that are not generic, which are all types'),
  hidenonpatient: option().describe('Omit types that are not for patients; there are none'),
  hidetemplatetypeonly: option().describe('Omit template types; there are none'),
  'departmentids[]': alsoNamed(idList().optional(), 'departmentid').describe('Has no effect: every type applies to all departments'),
  'providerids[]': alsoNamed(idList().optional(), 'providerid').describe('Has no effect: every type applies to all providers'),
  ...paging,
});

const LETTERS = 4;

export const fromAppointmentType = ({ id, name, durationMinutes }: AppointmentTypeRecord): z.input<typeof AppointmentTypeShape> => ({
  appointmenttypeid: id,
  name,
  shortname: [...name.replaceAll(/[^\p{L}\p{N}]/gu, '').toUpperCase()].slice(0, LETTERS).join(''),
  patientdisplayname: name,
  duration: durationMinutes,
  generic: false,
  patient: true,
  templatetypeonly: false,
  createencounteroncheckin: false,
});

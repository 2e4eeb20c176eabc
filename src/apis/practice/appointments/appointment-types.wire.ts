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
    patientdisplayname: z.string().describe('Name that patients see: the same'),
    duration: z.int().describe('Minutes'),
    generic: z.literal(false).describe('No type is generic'),
    patient: z.literal(true).describe('Every type is one of patients'),
    templatetypeonly: z.literal(false).describe('Appointments of every type can be made'),
    createencounteroncheckin: z.literal(false).describe('A check-in opens no encounter'),
  })
  .meta({ id: 'AppointmentType' });

export const appointmentTypeParams = z.object({ appointmenttypeid: id().describe('Appointment type id') });

export const appointmentTypesQuery = z.object({
  hidegeneric: option().describe('Leave out generic types; there are none'),
  hidenongeneric: option().describe('Leave out types that are not generic: all'),
  hidenonpatient: option().describe('Leave out types that are not for patients; there are none'),
  hidetemplatetypeonly: option().describe('Leave out types of templates; there are none'),
  'departmentids[]': alsoNamed(idList().optional(), 'departmentid').describe('Types are of all departments, so they are all listed'),
  'providerids[]': alsoNamed(idList().optional(), 'providerid').describe('Types are of all providers, so they are all listed'),
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

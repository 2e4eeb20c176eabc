import { z } from 'zod';
import { APPOINTMENT_LIMITS } from '../../domain/scheduling/field-limits.ts';
import {
  createAppointmentType,
  deleteAppointmentType,
  listOwnAppointmentTypes,
  organizationsUsing,
  updateAppointmentType,
} from '../../domain/scheduling/types/appointment-types.ts';
import { active, clearable, field, text, whole } from '../fields.ts';
import { kind } from '../kind.ts';
import { storedAs } from '../stored.ts';

const TYPE = z.strictObject({
  name: field(text(APPOINTMENT_LIMITS.typeName), 'Its name'),
  description: clearable(text(APPOINTMENT_LIMITS.typeDescription), 'What it is for'),
  durationMinutes: clearable(whole(1, APPOINTMENT_LIMITS.durationMinutes), 'Length of its appointments; null: that of the practice'),
  isGlobal: field(z.boolean(), 'Whether all practices list and book it'),
  active: active('Whether it can be booked'),
});

export const appointmentTypeKind = kind({
  name: 'appointmentTypes',
  one: 'appointment type',
  names: ['name'],
  table: 'appointment_type',
  shape: TYPE,
  whole: TYPE.required({ name: true }),
  read: async ({ db, caller }) => (await listOwnAppointmentTypes(db, caller)).map((row) => storedAs(TYPE, row)),
  sharedWith: ({ db, caller }, id) => organizationsUsing(db, caller, id),
  create: ({ db, caller }, item) => createAppointmentType(db, caller, item),
  async change({ db, caller }, id, changes) {
    await updateAppointmentType(db, caller, id, changes);
  },
  remove: ({ db, caller }, id) => deleteAppointmentType(db, caller, id),
});

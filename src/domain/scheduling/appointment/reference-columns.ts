import type { Columns } from '../../../database/statements/columns.ts';
import { selectInstant } from '../../../database/statements/statement.ts';
import type { AppointmentType } from '../types/appointment-types.ts';
import type { Appointment, AppointmentLocation, AppointmentOffice, AppointmentUser, AppointmentWaitingRoom } from './appointment-view.ts';

export interface ReferredRecords extends Pick<Appointment, 'type' | 'office' | 'location' | 'waitingRoom'> {
  /** At least those who take part, and who made it, in no order. */
  people: AppointmentUser[];
}

const ADDRESS = (of: string) => ({
  address1: `${of}.address1`,
  address2: `${of}.address2`,
  city: `${of}.city`,
  state: `${of}.state`,
  zip: `${of}.zip`,
});

/** The columns of the office `f`. */
export const OFFICE: Columns<AppointmentOffice> = {
  id: 'f.id',
  name: 'f.name',
  patientDepartmentName: 'f.patient_department_name',
  timeZone: 'f.time_zone',
  phone: 'f.phone',
  fax: 'f.fax',
  active: 'f.active',
  ...ADDRESS('f'),
};

/** The columns of the location `l`. */
export const LOCATION: Columns<AppointmentLocation> = { id: 'l.id', name: 'l.name', phone: 'l.phone', ...ADDRESS('l') };

/** The columns of the waiting room `w`. */
export const WAITING_ROOM: Columns<AppointmentWaitingRoom> = { id: 'w.id', name: 'w.name', userId: 'w.user_id' };

/** The columns of the user `u`. */
export const USER: Columns<AppointmentUser> = {
  id: 'u.id',
  type: 'u.type',
  firstName: 'u.first_name',
  lastName: 'u.last_name',
  email: 'u.email',
  phone: 'u.phone',
  active: 'u.active',
};

/** The columns of the type `t`. */
export const TYPE: Columns<AppointmentType> = {
  id: 't.id',
  name: 't.name',
  description: 't.description',
  durationMinutes: 't.duration_minutes',
  active: 't.active',
  isGlobal: 't.is_global',
  createdAt: selectInstant('t.created_at'),
  updatedAt: selectInstant('t.updated_at'),
};

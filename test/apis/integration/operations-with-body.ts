import type supertest from 'supertest';
import type { integrationClient } from '../../support/actors.ts';
import type { TestApp } from '../../support/app.ts';
import { createAppointmentType, createPatient } from '../../support/factories.ts';

/** The kind of value that a field takes; tables of the tests list the values that each kind refuses. */
export type FieldKind =
  | 'text'
  | 'id'
  | 'day'
  | 'moment'
  | 'zone'
  | 'phone'
  | 'email'
  | 'state'
  | 'zip'
  | 'boolean'
  | 'bit'
  | 'list'
  | 'address';

type Client = Awaited<ReturnType<typeof integrationClient>>;

export interface OperationWithBody {
  name: string;
  /** A fresh request, to which a body can be given. */
  request(): supertest.Test;
  /** Fields that the body needs beside the one under test. */
  needed: object;
  /** Its fields, and the longest text of those that are texts. */
  fields: Record<string, FieldKind | number>;
  bodyOptional: boolean;
}

const PATIENT = {
  firstname: 100,
  lastname: 100,
  fname: 100,
  lname: 100,
  address: 'address',
  address2: 100,
  city: 30,
  state: 'state',
  zip: 'zip',
  email: 'email',
  phone_no: 'phone',
  dob: 'day',
  admit_date: 'day',
  gender: 30,
  med_rec_no: 64,
  census: 'boolean',
  provider: 'id',
  location: 'id',
  flags: 'list',
  do_not_sms: 'boolean',
} as const;
const APPOINTMENT = {
  appointment_date: 'moment',
  patient_id: 'id',
  appointment_type_id: 'id',
  appointment_timezone: 'zone',
  office_id: 'id',
  location_id: 'id',
  provider_id: 'id',
} as const;
const TYPE = { name: 200, description: 2_000, active: 'bit', is_global: 'bit' } as const;

/** Every operation of the integration API that takes a body, on records that stand. */
export async function operationsWithBody({ database: { prisma } }: TestApp, client: Client): Promise<OperationWithBody[]> {
  const { organizationId } = client;
  const patient = await createPatient(prisma, { organizationId });
  const type = await createAppointmentType(prisma, { organizationId });
  const appointment = await prisma.appointment.create({ data: { organizationId, timeZone: 'America/New_York', durationMinutes: 30 } });
  const uuid = { uuid: type.id };
  return [
    { name: 'POST /patients', request: () => client.post('/patients'), needed: {}, fields: PATIENT, bodyOptional: false },
    {
      name: 'PUT /patients/{uuid}',
      request: () => client.put(`/patients/${patient.id}`),
      needed: {},
      fields: PATIENT,
      bodyOptional: false,
    },
    { name: 'POST /appointments', request: () => client.post('/appointments'), needed: {}, fields: APPOINTMENT, bodyOptional: true },
    {
      name: 'PUT /appointments/{uuid}',
      request: () => client.put(`/appointments/${appointment.id}`),
      needed: {},
      fields: APPOINTMENT,
      bodyOptional: false,
    },
    {
      name: 'POST /appointments/types',
      request: () => client.post('/appointments/types'),
      needed: { name: 'Visit' },
      fields: TYPE,
      bodyOptional: false,
    },
    {
      name: 'PUT /appointments/types',
      request: () => client.put('/appointments/types'),
      needed: uuid,
      fields: { uuid: 'id', ...TYPE },
      bodyOptional: false,
    },
  ];
}

export const OPERATION_NAMES = [
  'POST /patients',
  'PUT /patients/{uuid}',
  'POST /appointments',
  'PUT /appointments/{uuid}',
  'POST /appointments/types',
  'PUT /appointments/types',
];

import { z } from 'zod';
import type { BenchRequest } from '../workloads/workload.ts';
import { APPOINTMENT, APPOINTMENT_TYPE, EMPLOYER, OFFICE, PATIENT, SHORT_PATIENT } from './fields.ts';
import { graphql, type Peer, type Send } from './peer.ts';
import { type Month, type PeerRequest, type Search, toPeerRequest } from './peer-request.ts';

/**
 * Its REST interface is the quicker of the two and is taken where it has one request for the question. Neither follows a
 * foreign key of several columns, so what ours joins is asked for by ids that an earlier answer would have told: they
 * are learned beforehand, and all that the two requests would do is then asked in one, by GraphQL.
 */

const fields = (names: readonly string[]) => names.map((name) => `fields=${name}`).join('&');
const RECORD_FIELDS = fields(['id', ...PATIENT]);

const get = (path: string): BenchRequest => ({ method: 'GET', path, client: 'client' });

const LAST_LETTER = String.fromCodePoint(0x10ffff);
const startsWith = (prefix: string) => ({ gte: prefix, lt: prefix + LAST_LETTER });
const ascending = (...names: string[]) => names.map((field) => ({ field, direction: 'ASC' }));

const KEYS = `patientNameKey(where: $where, orderBy: $orderBy, limit: $limit, offset: $offset) { patientId }
  countPatientNameKey(where: $where) { total }`;
const KEYS_ARGUMENTS = `$where: PatientNameKeyWhereArguments, $orderBy: [PatientNameKeyOrderByArguments], $limit: LimitInt, $offset: Int`;
const FIND_KEYS = `query (${KEYS_ARGUMENTS}) { ${KEYS} }`;
const FIND_RECORDS = `query (${KEYS_ARGUMENTS}, $patients: PatientWhereArguments, $employers: EmployerWhereArguments) {
  ${KEYS}
  patient(where: $patients, limit: $limit) { id ${PATIENT.join(' ')} }
  employer(where: $employers, limit: $limit) { id ${EMPLOYER.join(' ')} }
}`;

const LIST = `appointment(where: $where, orderBy: $orderBy, limit: $limit) { id ${APPOINTMENT.join(' ')} }
  countAppointment(where: $where) { total }`;
const LIST_ARGUMENTS = '$where: AppointmentWhereArguments, $orderBy: [AppointmentOrderByArguments], $limit: LimitInt';
const OF_USER = 'userAppointment(where: $ofUser, limit: $limit) { appointmentId }';
const OF_USER_ARGUMENTS = '$ofUser: UserAppointmentWhereArguments';
const REFERRED = `patient(where: $patients, limit: $limit) { id ${SHORT_PATIENT.join(' ')} }
  appointmentType(where: $types, limit: $limit) { id ${APPOINTMENT_TYPE.join(' ')} }
  office(where: $offices, limit: $limit) { id ${OFFICE.join(' ')} }`;
const REFERRED_ARGUMENTS = '$patients: PatientWhereArguments, $types: AppointmentTypeWhereArguments, $offices: OfficeWhereArguments';
const FIND_OF_USER = `query (${OF_USER_ARGUMENTS}, $limit: LimitInt) { ${OF_USER} }`;
const FIND_APPOINTMENTS = `query (${LIST_ARGUMENTS}) { ${LIST} }`;
const FIND_WITH_REFERRED = `query (${LIST_ARGUMENTS}, ${REFERRED_ARGUMENTS}) { ${LIST} ${REFERRED} }`;
const FIND_OF_USER_WITH_REFERRED = `query (${OF_USER_ARGUMENTS}, ${LIST_ARGUMENTS}, ${REFERRED_ARGUMENTS}) { ${OF_USER} ${LIST} ${REFERRED} }`;

const SAVE = (selected: string) => `mutation ($input: PatientInput!) { savePatient(input: $input) { ${selected} } }`;
const CREATE = SAVE('id');
const UPDATE = SAVE(`id ${SHORT_PATIENT.join(' ')}`);

/** The prepared requests by the workload's request, which repeats as the identical object. */
const learned = new Map<BenchRequest, BenchRequest>();

function toKeys({ organizationId, last, first, officeId, limit, offset }: Search) {
  const where = {
    organizationId: { eq: organizationId },
    ...(last === null ? { ordinal: { eq: 1 } } : { lastKey: startsWith(last), sharedLength: { lt: last.length } }),
    ...(first === null ? {} : { firstKey: startsWith(first) }),
    ...(officeId === null ? {} : { officeId: { eq: officeId } }),
  };
  const orderBy =
    last === null && first !== null ? ascending('firstKey', 'lastKey', 'patientId') : ascending('lastKey', 'firstKey', 'patientId');
  return { where, orderBy, limit, offset };
}

/** It writes ids of 32 bits as texts, and those of 64 as numbers. */
const anId = z.coerce.string();

const foundKeys = z.object({ data: z.object({ patientNameKey: z.array(z.object({ patientId: anId })) }) });
const foundPatients = z.array(z.object({ employerId: anId.nullable() }));

async function learnRecords(search: Search, send: Send): Promise<BenchRequest> {
  const variables = toKeys(search);
  const ids = foundKeys.parse(await send(graphql(FIND_KEYS, variables))).data.patientNameKey.map(({ patientId }) => patientId);
  const scope = { organizationId: { eq: search.organizationId } };
  const listed = await send(
    get(`/patient/?where.organizationId.eq=${search.organizationId}&where.id.in=${ids}&limit=${search.limit}&fields=employerId`),
  );
  const employers = distinct(foundPatients.parse(listed).map(({ employerId }) => employerId));
  return graphql(FIND_RECORDS, { ...variables, patients: { ...scope, id: { in: ids } }, employers: { ...scope, id: { in: employers } } });
}

/** Lists without a name are ordered by id: no index of the table itself has the order of names. */
function listRecords({ organizationId, officeId, limit, offset }: Search): BenchRequest {
  const office = officeId === null ? '' : `&where.primaryOfficeId.eq=${officeId}`;
  const page = `limit=${limit}&offset=${offset}&totalCount=true&orderby.id=asc`;
  return get(`/patient/?where.organizationId.eq=${organizationId}&where.status.eq=active${office}&${page}&${RECORD_FIELDS}`);
}

const within = ({ organizationId, from, before }: Month) => ({
  organizationId: { eq: organizationId },
  startsAt: { gte: from, lt: before },
});

const toListQuery = (month: Month) => ({
  where: {
    ...within(month),
    status: { neq: 'cancelled' },
    ...(month.officeId === null ? {} : { officeId: { eq: month.officeId } }),
    ...(month.confirmation === null ? {} : { confirmation: { eq: month.confirmation } }),
  },
  orderBy: ascending('startsAt', 'id'),
  limit: month.limit,
});

const referring = z.object({ patientId: anId.nullable(), typeId: anId.nullable(), officeId: anId.nullable() });
const foundAppointments = z.object({ data: z.object({ appointment: z.array(referring) }) });
const foundOfUser = z.object({ data: z.object({ userAppointment: z.array(z.object({ appointmentId: anId })) }) });

async function learnAppointments(month: Month, send: Send): Promise<BenchRequest> {
  const list = toListQuery(month);
  const ofUser = { ...within(month), userId: { eq: month.userId } };
  const user = month.userId === null ? null : foundOfUser.parse(await send(graphql(FIND_OF_USER, { ofUser, limit: 5_000 })));
  const ids = user && { id: { in: distinct(user.data.userAppointment.map(({ appointmentId }) => appointmentId)) } };
  const variables = { ...list, where: { ...list.where, ...ids } };
  const { appointment } = foundAppointments.parse(await send(graphql(FIND_APPOINTMENTS, variables))).data;
  const by = (given: (string | null)[]) => ({ organizationId: { eq: month.organizationId }, id: { in: distinct(given) } });
  const referred = {
    patients: by(appointment.map(({ patientId }) => patientId)),
    types: by(appointment.map(({ typeId }) => typeId)),
    offices: by(appointment.map(({ officeId }) => officeId)),
  };
  return user === null
    ? graphql(FIND_WITH_REFERRED, { ...variables, ...referred })
    : graphql(FIND_OF_USER_WITH_REFERRED, { ...variables, ...referred, ofUser });
}

/** An empty list would be invalid SQL, so it contains an id that does not exist. */
const distinct = (ids: readonly (string | null)[]) => [...new Set(['0', ...ids.filter((id) => id !== null)])];

/** Null for reads that need preparation. */
function put(asked: PeerRequest): BenchRequest | null {
  switch (asked.about) {
    case 'patient':
      // Selecting fields costs it more than sending all of them.
      return get(`/patient/organization/${asked.organizationId}/id/${asked.id}`);
    case 'search':
      return asked.last === null && asked.first === null ? listRecords(asked) : null;
    case 'appointments':
      return null;
    // REST requires every column that may not be null, even with a default and unchanged.
    case 'create':
      return graphql(CREATE, { input: asked.columns });
    case 'update':
      return graphql(UPDATE, { input: { organizationId: asked.organizationId, id: asked.id, ...asked.columns } });
  }
}

export const platformatic: Peer = {
  name: 'platformatic',
  title: 'Platformatic DB',
  package: '@platformatic/db-core',
  entry: 'platformatic-server.mjs',
  async learn(request, send) {
    const asked = toPeerRequest(request);
    if (asked?.about === 'search' && put(asked) === null) learned.set(request, await learnRecords(asked, send));
    if (asked?.about === 'appointments') learned.set(request, await learnAppointments(asked, send));
  },
  translate(request) {
    const known = learned.get(request);
    if (known) return known;
    const asked = toPeerRequest(request);
    return asked === null ? null : put(asked);
  },
};

import type { BenchRequest } from '../workloads/workload.ts';
import { APPOINTMENT, APPOINTMENT_TYPE, EMPLOYER, OFFICE, PATIENT, SHORT_PATIENT } from './fields.ts';
import { graphql, type Peer } from './peer.ts';
import { type Columns, type Month, type PeerRequest, type Search, toPeerRequest } from './peer-request.ts';

const RECORD = `rowId ${PATIENT.join(' ')} employerByOrganizationIdAndEmployerId { ${EMPLOYER.join(' ')} }`;

const ONE_PATIENT = `query ($org: Int!, $id: Int!) { patientByOrganizationIdAndRowId(organizationId: $org, rowId: $id) { ${RECORD} } }`;

const BY_LAST = 'LAST_KEY_ASC, FIRST_KEY_ASC, PATIENT_ID_ASC';
const BY_FIRST = 'FIRST_KEY_ASC, LAST_KEY_ASC, PATIENT_ID_ASC';
const search = (order: string) => `query ($filter: PatientNameKeyFilter!, $limit: Int!, $offset: Int!) {
  allPatientNameKeys(filter: $filter, first: $limit, offset: $offset, orderBy: [${order}]) {
    totalCount
    nodes { patientByOrganizationIdAndPatientId { ${RECORD} } }
  }
}`;
const SEARCH_BY_LAST = search(BY_LAST);
const SEARCH_BY_FIRST = search(BY_FIRST);

const APPOINTMENT_FIELDS = `rowId ${APPOINTMENT.join(' ')}
      appointmentTypeByOrganizationIdAndOwnTypeId { rowId ${APPOINTMENT_TYPE.join(' ')} }
      patientByOrganizationIdAndPatientId { rowId ${SHORT_PATIENT.join(' ')} }
      officeByOrganizationIdAndOfficeId { rowId ${OFFICE.join(' ')} }`;

const OF_OFFICE = `query ($filter: AppointmentFilter!, $limit: Int!) {
  allAppointments(filter: $filter, first: $limit, orderBy: [STARTS_AT_ASC, ROW_ID_ASC]) { totalCount nodes { ${APPOINTMENT_FIELDS} } }
}`;
const OF_USER = `query ($filter: UserAppointmentFilter!, $limit: Int!) {
  allUserAppointments(filter: $filter, first: $limit, orderBy: [STARTS_AT_ASC, APPOINTMENT_ID_ASC]) {
    totalCount
    nodes { appointmentByOrganizationIdAndAppointmentId { ${APPOINTMENT_FIELDS} } }
  }
}`;

const CREATE = 'mutation ($patient: PatientInput!) { createPatient(input: { patient: $patient }) { patient { rowId } } }';
const UPDATE = `mutation ($org: Int!, $id: Int!, $patch: PatientPatch!) {
  updatePatientByOrganizationIdAndRowId(input: { organizationId: $org, rowId: $id, patientPatch: $patch }) { patient { rowId ${SHORT_PATIENT.join(' ')} } }
}`;

const LAST_LETTER = String.fromCodePoint(0x10ffff);
const startsWith = (prefix: string) => ({ greaterThanOrEqualTo: prefix, lessThan: prefix + LAST_LETTER });

/** Through the table of name keys, as ours: its rows lead to the patients. */
function searching({ organizationId, last, first, officeId, limit, offset }: Search): BenchRequest {
  const filter = {
    organizationId: { equalTo: organizationId },
    ...(last === null ? { ordinal: { equalTo: 1 } } : { lastKey: startsWith(last), sharedLength: { lessThan: last.length } }),
    ...(first === null ? {} : { firstKey: startsWith(first) }),
    ...(officeId === null ? {} : { officeId: { equalTo: officeId } }),
  };
  return graphql(last === null && first !== null ? SEARCH_BY_FIRST : SEARCH_BY_LAST, { filter, limit, offset });
}

function listing({ organizationId, from, before, officeId, userId, confirmation, limit }: Month): BenchRequest {
  const when = { organizationId: { equalTo: organizationId }, startsAt: { greaterThanOrEqualTo: from, lessThan: before } };
  const which = {
    status: { notEqualTo: 'cancelled' },
    ...(confirmation === null ? {} : { confirmation: { equalTo: confirmation } }),
  };
  if (userId === null) {
    const office = officeId === null ? {} : { officeId: { equalTo: officeId } };
    return graphql(OF_OFFICE, { filter: { ...when, ...office, ...which }, limit });
  }
  const filter = { ...when, userId: { equalTo: userId }, appointmentByOrganizationIdAndAppointmentId: which };
  return graphql(OF_USER, { filter, limit });
}

/** It does not keep the time of the last change by itself. */
const touched = (columns: Columns): Columns => ({ ...columns, updatedAt: new Date().toISOString() });

function put(asked: PeerRequest): BenchRequest {
  switch (asked.about) {
    case 'patient':
      return graphql(ONE_PATIENT, { org: asked.organizationId, id: asked.id });
    case 'search':
      return searching(asked);
    case 'appointments':
      return listing(asked);
    case 'create':
      return graphql(CREATE, { patient: touched(asked.columns) });
    case 'update':
      return graphql(UPDATE, { org: asked.organizationId, id: asked.id, patch: touched(asked.columns) });
  }
}

export const postgraphile: Peer = {
  name: 'postgraphile',
  title: 'PostGraphile',
  package: 'postgraphile',
  entry: 'postgraphile-server.mjs',
  translate(request) {
    const asked = toPeerRequest(request);
    return asked === null ? null : put(asked);
  },
};

import { addToProgram, listPatientEnrolments, removeFromProgram } from '../../../../domain/monitoring/programs/enrolments.ts';
import { listPrograms, readProgram } from '../../../../domain/monitoring/programs/programs.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { writePage } from '../../shared.wire.ts';
import {
  EnrolmentList,
  EnrolmentResponse,
  fromEnrolment,
  patientProgramsParams,
  patientProgramsQuery,
  toPatientProgramSort,
} from './enrolments.wire.ts';
import { taggedPatient } from './patients.ts';
import {
  AddProgramPatientRequest,
  fromProgram,
  ProgramList,
  ProgramResponse,
  programParams,
  programPatientParams,
  programsQuery,
  toEnrolmentKey,
  toProgramSort,
} from './programs.wire.ts';

export function programRoutes(endpoints: Endpoints): void {
  const { get, post, remove } = endpoints.group({ tag: 'Remote patient monitoring' });
  get('/remote-patient-monitoring/programs', {
    operationId: 'listMonitoringPrograms',
    summary: 'List the programs of your organization',
    description: 'Sorted by name by default. Discontinued programs are not included.',
    query: programsQuery,
    response: ProgramList,
    handle: async ({ tx, query, request }) => writePage(request, await listPrograms(tx, toProgramSort(query), query), fromProgram),
  });

  get('/remote-patient-monitoring/programs/:program', {
    operationId: 'getMonitoringProgram',
    summary: 'Read a program',
    description: 'Includes discontinued programs, because patients already enrolled continue in them.',
    params: programParams,
    response: ProgramResponse,
    etag: true,
    handle: async ({ tx, params }) => ({ data: fromProgram(await readProgram(tx, params.program)) }),
  });

  get('/remote-patient-monitoring/programs/patients/:patient_uuid', {
    operationId: 'listPatientPrograms',
    summary: 'List the programs of a patient',
    description: 'By default, current programs come first, then former ones. Each has its history.',
    params: patientProgramsParams,
    query: patientProgramsQuery,
    response: EnrolmentList,
    handle: async ({ tx, params, query, request }) => {
      const which = { patientId: params.patient_uuid, sort: toPatientProgramSort(query) };
      return writePage(request, await listPatientEnrolments(tx, which, query), fromEnrolment);
    },
  });

  post('/remote-patient-monitoring/programs/add-patient', {
    operationId: 'addProgramPatient',
    summary: 'Add a patient to a program',
    description: 'The patient starts at the first step and gets the flag RPM.',
    body: AddProgramPatientRequest,
    response: EnrolmentResponse,
    status: 201,
    current: ({ tx, body }) => taggedPatient(tx, body.patient_uuid),
    handle: async ({ tx, body }) => ({ data: fromEnrolment(await addToProgram(tx, toEnrolmentKey(body))) }),
  });

  // The list of operations leaves the slash out; both work, and the document shows the listed path.
  for (const slash of ['', '/']) {
    remove(`/remote-patient-monitoring/programs${slash}:program_uuid/patients/:patient_uuid`, {
      operationId: 'removeProgramPatient',
      isAlias: slash === '/',
      summary: 'Remove a patient from a program',
      description:
        'The history and the flag RPM are kept. The patient can be enrolled in the program again. A slash before the program id is accepted too.',
      params: programPatientParams,
      current: ({ tx, params }) => taggedPatient(tx, params.patient_uuid),
      handle: ({ tx, params }) => removeFromProgram(tx, toEnrolmentKey(params)),
    });
  }
}

import { z } from 'zod';
import type { EnrolmentKey } from '../../../../domain/monitoring/programs/enrolments.ts';
import { MONITORING_SERVICES, type Program, type ProgramOrder } from '../../../../domain/monitoring/programs/programs.ts';
import { id, instant, paging } from '../../../../http/wire/wire-types.ts';
import { one, sortBy, wrapList } from '../../shared.wire.ts';
import { StepShape } from './enrolments.wire.ts';

export const ProgramShape = z
  .strictObject({
    uuid: z.int(),
    name: z.string(),
    description: z.string().nullable(),
    service: z.enum(MONITORING_SERVICES).describe('Service under which the program is billed'),
    active: z.boolean().describe('False for a discontinued program, which accepts no new patients'),
    steps: z.array(StepShape).describe('Steps in program order'),
    patients: z.int().describe('Number of patients currently enrolled'),
    created_at: instant(),
    updated_at: instant(),
  })
  .meta({ id: 'MonitoringProgram' });

export const ProgramResponse = one(ProgramShape).meta({ id: 'MonitoringProgramResponse' });
export const ProgramList = wrapList(ProgramShape).meta({ id: 'MonitoringProgramList' });

export const AddProgramPatientRequest = z
  .object({ program_uuid: id().describe('Program id'), patient_uuid: id().describe('Patient id') })
  .meta({ id: 'AddProgramPatient' });

const FIELDS = {
  name: 'name',
  title: 'name',
  uuid: 'id',
  id: 'id',
  created_at: 'createdAt',
  updated_at: 'updatedAt',
} as const satisfies Record<string, ProgramOrder>;

export const programsQuery = z.object({ ...sortBy(FIELDS), ...paging });
export const programParams = z.object({ program: id().describe('Program id') });
export const programPatientParams = z.object({ program_uuid: id().describe('Program id'), patient_uuid: id().describe('Patient id') });

export const toProgramSort = ({ sort, order }: z.output<typeof programsQuery>) => ({ order: sort, descending: order === 'DESC' });

export const toEnrolmentKey = ({ program_uuid, patient_uuid }: z.output<typeof programPatientParams>): EnrolmentKey => ({
  programId: program_uuid,
  patientId: patient_uuid,
});

export function fromProgram(program: Program): z.input<typeof ProgramShape> {
  return {
    uuid: program.id,
    name: program.name,
    description: program.description,
    service: program.service,
    active: program.active,
    steps: program.steps.map(({ id: uuid, name, position }) => ({ uuid, name, position })),
    patients: program.patients,
    created_at: program.created_at,
    updated_at: program.updated_at,
  };
}

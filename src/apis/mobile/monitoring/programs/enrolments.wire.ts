import { z } from 'zod';
import type { Enrolment, EnrolmentSort } from '../../../../domain/monitoring/programs/enrolments.ts';
import { id, instant, paging } from '../../../../http/wire/wire-types.ts';
import { fromPerson, PersonShape } from '../../people/people.wire.ts';
import { one, optionalSortBy, sortBy, wrapList } from '../../shared.wire.ts';

export const StepShape = z.strictObject({
  uuid: z.int(),
  name: z.string(),
  position: z.int().describe('Position in the program, from 1'),
});

const PROGRESS_FIELDS = {
  step: StepShape.nullable().describe('Current step of the patient'),
  steps: z.int().describe('Number of steps in the program'),
  percent: z.int().describe('Progress as a percentage of all steps; 100 at the last step'),
  since: instant().describe('Time at which the patient reached this step'),
  added_at: instant(),
};

export const EnrolmentShape = z
  .strictObject({
    uuid: z.int().describe('Enrolment id'),
    patient_uuid: z.int(),
    patient: PersonShape,
    program_uuid: z.int(),
    program: z.strictObject({ uuid: z.int(), name: z.string() }),
    ...PROGRESS_FIELDS,
    removed_at: instant().nullable().describe('Null while the patient is in the program'),
    history: z
      .array(
        z.strictObject({
          uuid: z.int(),
          step: StepShape,
          user: PersonShape.nullable().describe('User who moved the patient to the step; null if no user did'),
          at: instant().describe('When the patient reached it'),
        }),
      )
      .describe('Steps that the patient has reached, oldest first'),
  })
  .meta({ id: 'ProgramEnrolment' });

export const EnrolmentResponse = one(EnrolmentShape).meta({ id: 'ProgramEnrolmentResponse' });
export const EnrolmentList = wrapList(EnrolmentShape).meta({ id: 'ProgramEnrolmentList' });

export const PatientProgramShape = z.strictObject({ uuid: z.int(), name: z.string(), enrolment_uuid: z.int(), ...PROGRESS_FIELDS });

const FIELDS = {
  lastname: 'lastName',
  firstname: 'firstName',
  program: 'program',
  title: 'program',
  step: 'step',
  since: 'since',
  added_at: 'addedAt',
  uuid: 'id',
  id: 'id',
} as const satisfies Record<string, EnrolmentSort['order']>;

const OF_PATIENT_FIELDS = {
  program: 'program',
  title: 'program',
  step: 'step',
  since: 'since',
  added_at: 'addedAt',
  removed_at: 'removedAt',
  uuid: 'id',
  id: 'id',
} as const satisfies Record<string, EnrolmentSort['order']>;

export const workflowQuery = z.object({ ...sortBy(FIELDS), ...paging });

export const patientProgramsQuery = z.object({
  ...optionalSortBy(OF_PATIENT_FIELDS, 'Field to sort by. By default, current programs come first, then former ones, each newest first'),
  ...paging,
});
export const patientProgramsParams = z.object({ patient_uuid: id().describe('Patient id') });

export const WorkflowEventRequest = z
  .object({
    program_uuid: id().describe('Program id'),
    patient_uuid: id().describe('Patient id'),
    step_uuid: id().describe('Id of the target step: the next one, or any earlier one'),
  })
  .meta({ id: 'WorkflowEvent' });

export const toWorkflowSort = ({ sort, order }: z.output<typeof workflowQuery>): EnrolmentSort => ({
  order: sort,
  descending: order === 'DESC',
});

export const toPatientProgramSort = ({ sort, order }: z.output<typeof patientProgramsQuery>): EnrolmentSort =>
  sort === undefined ? { order: 'currentFirst', descending: true } : { order: sort, descending: order === 'DESC' };

export const toStep = ({ program_uuid, patient_uuid, step_uuid }: z.output<typeof WorkflowEventRequest>) => ({
  programId: program_uuid,
  patientId: patient_uuid,
  stepId: step_uuid,
});

function fromProgress({ step_id, step_name, position, steps, since, added_at }: Enrolment) {
  return {
    step: step_id === null || step_name === null ? null : { uuid: step_id, name: step_name, position },
    steps,
    percent: steps === 0 ? 0 : Math.round((position * 100) / steps),
    since,
    added_at,
  };
}

export function fromEnrolment(enrolment: Enrolment): z.input<typeof EnrolmentShape> {
  const { patient_id, program_id } = enrolment;
  return {
    uuid: enrolment.id,
    patient_uuid: patient_id,
    patient: { uuid: patient_id, firstname: enrolment.first_name, lastname: enrolment.last_name },
    program_uuid: program_id,
    program: { uuid: program_id, name: enrolment.program_name },
    ...fromProgress(enrolment),
    removed_at: enrolment.removed_at,
    history: enrolment.history.map(({ id: uuid, step_id, name, position, user_id, user_first_name, user_last_name, at }) => ({
      uuid,
      step: { uuid: step_id, name, position },
      user: user_id === null ? null : fromPerson({ id: user_id, firstName: user_first_name, lastName: user_last_name }),
      at,
    })),
  };
}

export const fromPatientProgram = (enrolment: Enrolment): z.input<typeof PatientProgramShape> => ({
  uuid: enrolment.program_id,
  name: enrolment.program_name,
  enrolment_uuid: enrolment.id,
  ...fromProgress(enrolment),
});

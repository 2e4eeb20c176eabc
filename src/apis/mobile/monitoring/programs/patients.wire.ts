import { z } from 'zod';
import type { CanTextOf } from '../../../../domain/messaging/recipients/can-text.ts';
import type {
  CheckInState,
  ComparedReading,
  MonitoredPatient,
  MonitoredSearch,
  MonitoredSort,
} from '../../../../domain/monitoring/patients/patients.ts';
import { alsoNamed, filterNames } from '../../../../http/input/query.ts';
import { id, instant, optional, pagingByPosition, text } from '../../../../http/wire/wire-types.ts';
import { fromListedPatient, PatientRecordShape } from '../../people/patients.wire.ts';
import { one, sortBy, wrapList } from '../../shared.wire.ts';
import { ConditionShape, fromCondition } from '../readings/conditions.wire.ts';
import { ItemOfReading } from '../readings/readings.wire.ts';
import { fromTarget, TargetShape } from '../readings/targets.wire.ts';
import { fromPatientProgram, PatientProgramShape } from './enrolments.wire.ts';

const CheckInStateShape = z.strictObject({
  uuid: z.int(),
  sent_at: instant(),
  answered_at: instant().nullable(),
  out_of_target: z
    .boolean()
    .nullable()
    .describe('Whether any measured answer is out of target; null if the check-in has not been answered yet'),
  readings: z
    .array(
      z.strictObject({
        item: ItemOfReading,
        value: z.number(),
        target: TargetShape.nullable().describe('Target at the time of the answer'),
        out_of_target: z.boolean().nullable().describe('Null without a target'),
      }),
    )
    .describe('Measured answers, by item'),
});

export const MonitoredPatientShape = z
  .strictObject({
    ...PatientRecordShape.shape,
    programs: z.array(PatientProgramShape).describe('Programs in which the patient is enrolled'),
    tracked_conditions: z.array(ConditionShape).describe('Conditions for which the patient is monitored'),
    last_checkin: CheckInStateShape.nullable().describe('Most recently sent check-in'),
    open_review_count: z.int().describe('Number of answered check-ins waiting for a review'),
    open_reviews: z.array(CheckInStateShape).describe('The ten most recently answered check-ins waiting for a review'),
  })
  .meta({ id: 'MonitoredPatient' });

export const MonitoredPatientResponse = one(MonitoredPatientShape).meta({ id: 'MonitoredPatientResponse' });
export const MonitoredPatientList = wrapList(MonitoredPatientShape).meta({ id: 'MonitoredPatientList' });

const FIELDS = {
  lastname: 'lastName',
  firstname: 'firstName',
  title: 'lastName',
  uuid: 'id',
  id: 'id',
  dob: 'birthDate',
  med_rec_no: 'medicalRecordNo',
  last_checkin: 'lastCheckIn',
  open_reviews: 'openReviews',
  created_at: 'createdAt',
  updated_at: 'updatedAt',
} as const satisfies Record<string, MonitoredSort['order']>;

export const monitoredPatientsQuery = z.object({
  keyword: optional(text(200)).describe('Prefixes of words in the names, which must all match, or a complete medical record number'),
  org_uuid: alsoNamed(optional(id()), ...filterNames('org')).describe('Id of your own organization'),
  ...sortBy(FIELDS),
  ...pagingByPosition,
});
export const monitoredPatientParams = z.object({ patient: id().describe('Patient id') });
/** Accepted for compatibility; a single record has no order. */
export const monitoredPatientQuery = z.object(sortBy(FIELDS));

export const toMonitoredSearch = ({ keyword, sort, order }: z.output<typeof monitoredPatientsQuery>): MonitoredSearch => ({
  keyword: keyword ?? undefined,
  sort: { order: sort, descending: order === 'DESC' },
});

export function fromMonitoredPatient(monitored: MonitoredPatient, canText: CanTextOf): z.input<typeof MonitoredPatientShape> {
  return {
    ...fromListedPatient(monitored.patient, canText.patient(monitored.patient.id)),
    programs: monitored.programs.map(fromPatientProgram),
    tracked_conditions: monitored.conditions.map(fromCondition),
    last_checkin: monitored.lastCheckIn && fromState(monitored.lastCheckIn),
    open_review_count: monitored.open,
    open_reviews: monitored.openCheckIns.map(fromState),
  };
}

const fromState = ({ id: uuid, sent_at, answered_at, isOutOfTarget, readings }: CheckInState): z.input<typeof CheckInStateShape> => ({
  uuid,
  sent_at,
  answered_at,
  out_of_target: isOutOfTarget,
  readings: readings.map(fromReading),
});

const fromReading = ({ item: { id: uuid, name, unit }, value, target, isOutOfTarget }: ComparedReading) => ({
  item: { uuid, name, unit },
  value,
  target: target && fromTarget(target),
  out_of_target: isOutOfTarget,
});

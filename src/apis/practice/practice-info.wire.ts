import { z } from 'zod';
import type { Organization } from '../../domain/practices/organizations.ts';
import { writeDay } from '../../domain/values/time.ts';
import { usDay, writeUsDay } from './patient-formats.wire.ts';

export const PracticeInformation = z
  .strictObject({
    practiceid: z.string(),
    name: z.string(),
    golivedate: usDay(),
    experiencemode: z.string().optional(),
    iscoordinatorsender: z.boolean(),
    iscoordinatorreceiver: z.boolean(),
    hasclinicals: z.boolean(),
    hascommunicator: z.boolean(),
    hascollector: z.boolean(),
  })
  .meta({ id: 'PracticeInformation' });

/** Fields without a value are left out. */
export function fromPractice(practice: Organization): z.input<typeof PracticeInformation> {
  return {
    practiceid: String(practice.id),
    name: practice.name,
    golivedate: writeUsDay(writeDay(practice.goLiveDate)),
    experiencemode: practice.experienceMode ?? undefined,
    iscoordinatorsender: practice.isCoordinatorSender,
    iscoordinatorreceiver: practice.isCoordinatorReceiver,
    hasclinicals: practice.hasClinicals,
    hascommunicator: practice.hasCommunicator,
    hascollector: practice.hasCollector,
  };
}

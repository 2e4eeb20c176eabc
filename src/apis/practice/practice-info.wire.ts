import { z } from 'zod';
import type { Organization } from '../../domain/practices/organizations.ts';
import { writeDay } from '../../domain/values/time/time.ts';
import { usDay, writeUsDay } from './patients/record/patient-formats.wire.ts';

export const PracticeInformation = z
  .strictObject({
    practiceid: z.string().describe('Practice id'),
    name: z.string().describe('Name of the practice'),
    golivedate: usDay().describe('First day of use, mm/dd/yyyy'),
    experiencemode: z.string().optional().describe('Name of the practice’s user interface'),
    iscoordinatorsender: z.boolean().describe('Whether the practice sends orders'),
    iscoordinatorreceiver: z.boolean().describe('Whether the practice receives orders'),
    hasclinicals: z.boolean().describe('Whether the practice keeps clinical records'),
    hascommunicator: z.boolean().describe('Whether the practice has a patient portal'),
    hascollector: z.boolean().describe('Whether the practice has billing'),
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

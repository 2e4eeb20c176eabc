import type { MonitoringService } from '../../src/generated/prisma/client.ts';
import { cycle, inOrder } from './random.ts';
import type { Seeding } from './seeding.ts';

/** Measured items with their usual targets and danger limits; absent ones are none. */
export const ITEMS = [
  { name: 'Systolic blood pressure', unit: 'mmHg', minTarget: '90', maxTarget: '140', dangerMin: '70', dangerMax: '180' },
  { name: 'Diastolic blood pressure', unit: 'mmHg', minTarget: '60', maxTarget: '90', dangerMin: '40', dangerMax: '120' },
  { name: 'Weight', unit: 'lb', minTarget: null, maxTarget: null },
  { name: 'Fasting glucose', unit: 'mg/dL', minTarget: '70', maxTarget: '130', dangerMin: '54', dangerMax: '300' },
  { name: 'Oxygen saturation', unit: '%', minTarget: '92', maxTarget: '100', dangerMin: '88', dangerMax: null },
  { name: 'Steps', unit: null, minTarget: '4000', maxTarget: null },
];

const PROGRAMS = [
  {
    name: 'Hypertension at home',
    description: 'Blood pressure every day',
    steps: ['Consent', 'Device delivered', 'Training call', 'Monitoring', 'Discharged'],
  },
  {
    name: 'Diabetes at home',
    description: 'Fasting glucose every day',
    steps: ['Consent', 'Glucometer delivered', 'Monitoring', 'Discharged'],
  },
  {
    name: 'Knee training at home',
    description: 'Steps of every day after an operation',
    service: 'rtm_musculoskeletal',
    steps: ['Consent', 'Sensor delivered', 'Training', 'Discharged'],
  },
] as const satisfies { name: string; description: string; service?: MonitoringService; steps: readonly string[] }[];

/** Items and programs with ids, in the order of the lists above. */
export interface Catalogue {
  itemIds: number[];
  programs: { id: number; stepIds: number[] }[];
}

export async function seedCatalogue({ tx, organizationId }: Seeding): Promise<Catalogue> {
  const items = await tx.item.createManyAndReturn({ data: ITEMS.map((item) => ({ ...item, organizationId })), select: { id: true } });
  const programs = inOrder(
    await tx.program.createManyAndReturn({
      data: PROGRAMS.map(({ steps: _steps, ...program }) => ({ ...program, organizationId })),
      select: { id: true },
    }),
  );
  const steps = await tx.workflowStep.createManyAndReturn({
    data: programs.flatMap(({ id: programId }, program) =>
      cycle(PROGRAMS, program).steps.map((name, index) => ({ organizationId, programId, name, position: index + 1 })),
    ),
    select: { id: true, programId: true },
  });
  return {
    itemIds: inOrder(items).map(({ id }) => id),
    programs: programs.map(({ id }) => ({
      id,
      stepIds: inOrder(steps.filter(({ programId }) => programId === id)).map((step) => step.id),
    })),
  };
}

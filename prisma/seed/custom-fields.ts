import { readFieldOptions } from '../../src/domain/patients/record/custom-fields.ts';
import { insertRows } from './bulk.ts';
import type { People } from './people.ts';
import { areaRandom, type Seeding } from './seeding.ts';

/** Values of the custom fields on about half of the charts. */
export async function seedCustomFields(seeding: Seeding, { patients, copies }: People): Promise<void> {
  const { tx, organizationId } = seeding;
  const random = areaRandom(seeding, 'custom fields');
  const fields = await tx.customField.findMany({ where: { organizationId }, orderBy: { id: 'asc' } });
  const sources = fields.flatMap(readFieldOptions);
  const answers: Record<string, () => { value: string; optionId: number | null }> = {
    text: () => ({ value: `${random.location.street()} Pharmacy`, optionId: null }),
    number: () => ({ value: String(random.number.int({ min: 1, max: 7 })), optionId: null }),
    date: () => ({ value: `20${random.number.int({ min: 15, max: 24 })}-06-15`, optionId: null }),
    select: () => {
      const { id, value } = random.helpers.arrayElement(sources);
      return { value, optionId: id };
    },
  };
  const data = [...patients, ...copies].flatMap(({ id: patientId }) => {
    const chosen = random.datatype.boolean(0.5) ? random.helpers.arrayElements(fields, { min: 1, max: 4 }) : [];
    return chosen.flatMap(({ id: customFieldId, type }) => {
      const answer = answers[type]?.();
      return answer ? [{ organizationId, patientId, customFieldId, ...answer }] : [];
    });
  });
  await insertRows(tx, 'patient_custom_field', data);
}

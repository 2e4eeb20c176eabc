import { z } from 'zod';
import { invalid } from '../../errors.ts';
import { setClaims } from '../../patients/record/patient-billing.ts';
import { storeSections } from '../chart-sections.ts';
import { readProviderGroups } from '../directory.ts';
import { orFailure } from '../outcomes.ts';
import { PATIENT_REFERENCE_WORDS, patientCells } from '../patient-references.ts';
import { amount, named, optional, pastDay, required, text } from '../rows/cells.ts';
import { defineKind } from './kind.ts';

const cells = z.object({
  ...patientCells,
  providerGroupId: required(named()),
  serviceDate: required(pastDay()),
  description: optional(text(200)),
  chargeAmount: required(amount()),
  outstandingPatient: optional(amount()),
});

export const claims = defineKind({
  cells,
  words: {
    ...PATIENT_REFERENCE_WORDS,
    providerGroupId: ['provider_group', 'group'],
    serviceDate: ['date'],
    chargeAmount: ['charge'],
    outstandingPatient: ['outstandingamount', 'outstanding'],
  },
  async store(tx, rows) {
    const groups = await readProviderGroups(tx);
    return storeSections(tx, rows, 'claims', (round) =>
      setClaims(
        tx,
        round.map(({ patientId, values: { description = null, outstandingPatient, ...values }, decision: onMatch }) =>
          orFailure(() => {
            const { serviceDate, chargeAmount } = values;
            if (Number(outstandingPatient ?? 0) > Number(chargeAmount)) throw invalid('outstandingPatient', 'must be at most the charge');
            const providerGroupId = groups.find(values.providerGroupId, 'providerGroupId').id;
            const outstanding = outstandingPatient ? { outstandingPatient } : {};
            return { patientId, providerGroupId, serviceDate, chargeAmount, description, ...outstanding, onMatch };
          }),
        ),
      ),
    );
  },
});

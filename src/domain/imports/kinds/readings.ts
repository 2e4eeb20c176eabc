import { z } from 'zod';
import { databaseTime } from '../../../database/clock.ts';
import { Failure, missing } from '../../errors.ts';
import { READING_SOURCES } from '../../monitoring/readings/readings.ts';
import { receiveReadings, type SentReading } from '../../monitoring/readings/receive-readings.ts';
import { createRegister } from '../directory.ts';
import { type Outcome, toRefusal } from '../outcomes.ts';
import { findReferredCharts, PATIENT_REFERENCE_WORDS, patientCells, referredChart } from '../patient-references.ts';
import { choice, named, optional, read, required, text } from '../rows/cells.ts';
import { defineKind } from './kind.ts';

const NUMBER = /^[+-]?\d{1,9}(\.\d{1,9})?(e[+-]?\d{1,2})?$/i;

const cells = z.object({
  ...patientCells,
  itemId: required(named()),
  value: required(read((sent) => (NUMBER.test(sent.trim()) ? Number(sent) : null), 'must be a number such as 72.5')),
  unit: optional(text(40)),
  measuredAt: required(text(40)),
  source: optional(choice(...READING_SOURCES)),
  identifier: optional(text(200)),
  make: optional(text(100)),
  model: optional(text(100)),
  serial: optional(text(100)),
});

export const readings = defineKind({
  cells,
  words: {
    ...PATIENT_REFERENCE_WORDS,
    itemId: ['item_uuid', 'item', 'item_name'],
    measuredAt: ['date', 'time'],
    identifier: ['device_identifier', 'device'],
    make: ['device_make'],
    model: ['device_model'],
    serial: ['device_serial'],
  },
  async store(tx, rows) {
    const [charts, items, now] = await Promise.all([
      findReferredCharts(
        tx,
        rows.map(({ values }) => values),
      ),
      tx.prisma.item.findMany({ where: tx.practice, select: { id: true, name: true } }),
      databaseTime(tx.prisma),
    ]);
    const register = createRegister('item', items, ({ name }) => name);
    const sent = rows.map(({ values }): SentReading | Failure => {
      try {
        const chart = referredChart(tx, values, charts);
        if (!chart) throw missing('patientId');
        return toReading(values, chart.id, register.find(values.itemId, 'itemId').id);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        return error;
      }
    });
    const received = await receiveReadings(tx, sent, now);
    return received.map(
      (one): Outcome => ('refused' in one ? toRefusal(one.refused) : { outcome: one.isDuplicate ? 'skipped' : 'created' }),
    );
  },
});

function toReading(row: z.output<typeof cells>, patientId: number, itemId: number): SentReading {
  const { value, unit = null, measuredAt, source = null, identifier = null, make = null, model = null, serial = null } = row;
  const isNamed = [identifier, make, model, serial].some((part) => part !== null);
  return { patientId, itemId, value, unit, measuredAt, source, device: isNamed ? { identifier, make, model, serial } : null };
}

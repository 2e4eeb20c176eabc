import { readLedger } from '../../../../domain/monitoring/monthly-billing/ledger/ledger.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { table } from '../../../../http/endpoints/run/csv-endpoint.ts';
import { toTable } from '../../../../http/wire/ledger-table.ts';
import { writePage } from '../../shared.wire.ts';
import { closedMonthRoutes } from './closed-months.ts';
import { fromLedgerRow, LedgerList, ledgerQuery, toLedgerRequest } from './ledger.wire.ts';

export function ledgerRoutes(endpoints: Endpoints): void {
  endpoints.download(
    '/remote-patient-monitoring/ledger',
    table({
      operationId: 'getMonitoringLedger',
      beyondDocument: true,
      summary: 'Read the monthly billing ledger',
      description:
        'Lists for each patient the minutes, days with readings, live contact, the CPT codes supported under the rules of that month, and the requirements missing for the next code. The CSV format returns the whole month without paging.',
      tag: 'Remote patient monitoring',
      query: ledgerQuery,
      response: LedgerList,
      handle: async ({ tx, query, request }) => {
        const ledger = await readLedger(tx, toLedgerRequest(query), query);
        return writePage(request, ledger, fromLedgerRow(ledger.period));
      },
      table: async ({ tx, query }) => toTable(await readLedger(tx, toLedgerRequest(query))),
    }),
  );
  closedMonthRoutes(endpoints);
}

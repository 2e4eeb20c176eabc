import { checkMonth } from '../../../../domain/monitoring/monthly-billing/closing/closed-month-check.ts';
import { closeMonth, readClosing } from '../../../../domain/monitoring/monthly-billing/closing/closing.ts';
import { recordCorrection } from '../../../../domain/monitoring/monthly-billing/closing/corrections.ts';
import { readLedgerEvidence } from '../../../../domain/monitoring/monthly-billing/ledger/ledger-evidence.ts';
import { releaseHold } from '../../../../domain/monitoring/monthly-billing/releases.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import {
  CloseMonthRequest,
  ClosingResponse,
  CorrectionResponse,
  evidenceParams,
  fromClosing,
  fromMonthCheck,
  fromStoredRelease,
  MonthCheckResponse,
  monthParams,
  NewCorrectionRequest,
  NewReleaseRequest,
  ReleaseResponse,
  toRelease,
} from './closed-months.wire.ts';
import { fromLedgerRow } from './ledger.wire.ts';
import { fromEvidence, LedgerEvidenceResponse } from './ledger-evidence.wire.ts';

const LEDGER = { tag: 'Remote patient monitoring', beyondDocument: true } as const;
const OF_ADMINS = { ...LEDGER, roles: ['admin'] } as const;

/** Evidence, holds, closing and corrections of the monthly ledger. */
export function closedMonthRoutes({ get, post }: Endpoints): void {
  get('/remote-patient-monitoring/ledger/:month/patients/:patient', {
    ...LEDGER,
    operationId: 'getLedgerEvidence',
    summary: 'Read a patient’s month with every reading and minute behind it',
    description:
      'Each record has whether it counts and, if not, why. For a closed month, returns what was stored with the newest version of the row.',
    params: evidenceParams,
    response: LedgerEvidenceResponse,
    handle: async ({ tx, params }) => ({ data: fromEvidence(await readLedgerEvidence(tx, params.month, params.patient)) }),
  });

  post('/remote-patient-monitoring/ledger/releases', {
    ...OF_ADMINS,
    operationId: 'releaseLedgerHold',
    summary: 'Release a hold of the ledger',
    description:
      'Reviews of more than 60 minutes, reviews of one user at the same time, and more than four units of a code are not billed until an admin states why they are correct.',
    body: NewReleaseRequest,
    response: ReleaseResponse,
    status: 201,
    handle: async ({ tx, body }) => ({ data: fromStoredRelease(await releaseHold(tx, toRelease(body))) }),
  });

  post('/remote-patient-monitoring/ledger/:month/close', {
    ...OF_ADMINS,
    operationId: 'closeLedgerMonth',
    summary: 'Close a month of the ledger',
    description:
      'Stores the row of each patient with its evidence. From then on the ledger shows these rows; later changes are corrections. A month of up to 250 patients is closed immediately. For more patients a worker computes the rows, and the state is closing meanwhile. 409 for a month that is not over, is already closed or has open holds; if the worker finds open holds, the state becomes refused.',
    params: monthParams,
    body: CloseMonthRequest,
    bodyOptional: true,
    response: ClosingResponse,
    status: 201,
    handle: async ({ tx, params, body }) => ({
      data: fromClosing(await closeMonth(tx, { month: params.month, leaveHeld: body.leave_held ?? false })),
    }),
  });

  get('/remote-patient-monitoring/ledger/:month/close', {
    ...OF_ADMINS,
    operationId: 'getLedgerClosing',
    summary: 'Read the progress of closing a month',
    params: monthParams,
    response: ClosingResponse,
    handle: async ({ tx, params }) => ({ data: fromClosing(await readClosing(tx, params.month)) }),
  });

  get('/remote-patient-monitoring/ledger/:month/verify', {
    ...OF_ADMINS,
    operationId: 'verifyLedgerMonth',
    summary: 'Verify the hashes of a closed month',
    params: monthParams,
    response: MonthCheckResponse,
    handle: async ({ tx, params }) => ({ data: fromMonthCheck(await checkMonth(tx, params.month)) }),
  });

  post('/remote-patient-monitoring/ledger/:month/corrections', {
    ...OF_ADMINS,
    operationId: 'correctLedgerRow',
    summary: 'Correct the row of a patient in a closed month',
    description: 'Adds a version of the row, chained to the previous one by its hash. 409 if nothing has changed.',
    params: monthParams,
    body: NewCorrectionRequest,
    response: CorrectionResponse,
    status: 201,
    handle: async ({ tx, params, body }) => {
      const patientId = body.patient_uuid;
      await recordCorrection(tx, { month: params.month, patientId, reason: body.reason });
      const { period, row } = await readLedgerEvidence(tx, params.month, patientId);
      return { data: fromLedgerRow(period)(row) };
    },
  });
}

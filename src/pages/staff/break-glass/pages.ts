import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { CallerIdentity } from '../../../domain/caller.ts';
import { Failure } from '../../../domain/errors.ts';
import { isProofFresh } from '../../../domain/identity/factors/step-up.ts';
import { requireLinkPractice } from '../../../domain/practices/link-practice.ts';
import { type IdentityTx, txOf } from '../../../domain/tx.ts';
import { hasOtherOfficer } from '../../../domain/users/chart-opening-notices.ts';
import {
  closeChart,
  findChartToOpen,
  LONGEST_REASON,
  listOpenings,
  listOwnOpenCharts,
  mayOpenCharts,
  type NamedChart,
  namesChart,
  openChart,
  seesAllOpenings,
} from '../../../domain/users/chart-openings.ts';
import { requireStepUp } from '../../../http/auth/step-up.ts';
import { readInput } from '../../../http/input/input.ts';
import { birthDay, day, id, longId, multilineText, optional, text } from '../../../http/wire/wire-types.ts';
import { sendPage } from '../../design/layout/page.ts';
import type { RefusedForm } from '../forms/form-state.ts';
import { newsIn, runForm, toRefusedForm } from '../forms/run-form.ts';
import type { StaffPageDeps } from '../sign-in/staff-page-deps.ts';
import { requireStaff } from '../sign-in/staff-scope.ts';
import { breakGlassPage } from './view.ts';

const ADDRESS = '/break-glass';
const PAGE_ROWS = 50;
const NOBODY = 'No patient, or more than one, matches. This attempt is recorded.';

const BreakGlassQuery = z.object({ page: z.coerce.number().int().min(1).max(100_000).default(1).catch(1) });
const openingParams = z.object({ opening: longId() });
const OpeningForm = z.object({
  patient: optional(id()),
  record_number: optional(text(100)),
  first_name: optional(text(100)),
  last_name: optional(text(100)),
  birth_date: optional(birthDay(day())),
  reason: multilineText(LONGEST_REASON),
});
const DONE = { opened: 'The chart is open to you.', closed: 'The chart was closed.' };

type Deps = Pick<StaffPageDeps, 'unitOfWork' | 'database' | 'authenticator'>;

/** The page of emergency access to charts, for the users of a practice. To be registered in a staffScope. */
export function breakGlassPages(app: FastifyInstance, deps: Deps): void {
  const { unitOfWork, authenticator } = deps;
  const showIn = (request: FastifyRequest) => (refused: RefusedForm) => showBreakGlass(deps, request, refused);

  app.get(ADDRESS, async (request, reply) => sendPage(reply, await showBreakGlass(deps, request)));

  app.post(ADDRESS, (request, reply) => {
    const work = async () => {
      const staff = requireStaff(request);
      await requireStepUp(txOf(deps.database.prisma, staff));
      const isFound = await openNamedChart(deps, staff, readInput(OpeningForm, request.body ?? {}));
      if (isFound) return;
      const nobody = new Failure('not_found', 'nobody_found', NOBODY);
      sendPage(reply.code(404), await showBreakGlass(deps, request, toRefusedForm(request, nobody)));
    };
    return runForm(request, reply, { address: ADDRESS, done: 'opened', work, show: showIn(request) });
  });

  app.post(`${ADDRESS}/:opening/close`, (request, reply) => {
    const { opening } = readInput(openingParams, request.params);
    const work = async () => {
      const { organizationId, userId } = await unitOfWork.write(requireStaff(request), async (tx) => ({
        ...tx.practice,
        ...(await closeChart(tx, opening)),
      }));
      authenticator.reread({ organizationId, userId });
    };
    return runForm(request, reply, { address: ADDRESS, done: 'closed', isButton: true, work, show: showIn(request) });
  });
}

/** @returns whether a chart was found. The attempt has a transaction of its own, which is kept where nobody is found. */
async function openNamedChart({ unitOfWork, authenticator }: Deps, staff: CallerIdentity, form: z.output<typeof OpeningForm>) {
  const { reason } = form;
  const chart = toNamedChart(form);
  const patientId = await unitOfWork.write(staff, (tx) => findChartToOpen(tx, { chart, reason }));
  if (patientId === null) return false;
  await unitOfWork.write(staff, (tx) => openChart(tx, patientId, reason));
  authenticator.reread(staff);
  return true;
}

/** @throws Failure invalid where none of the three ways to name a chart is complete */
function toNamedChart(form: z.output<typeof OpeningForm>): NamedChart {
  const chart = {
    patientId: form.patient ?? undefined,
    recordNumber: form.record_number ?? undefined,
    firstName: form.first_name ?? undefined,
    lastName: form.last_name ?? undefined,
    birthDate: form.birth_date ?? undefined,
  };
  if (namesChart(chart)) return chart;
  throw new Failure('invalid', 'invalid_input', 'Name the patient by id, by record number, or by both names and birth date.');
}

function showBreakGlass({ unitOfWork }: Deps, request: FastifyRequest, refused?: RefusedForm): Promise<string> {
  const { page } = readInput(BreakGlassQuery, request.query);
  const staff = requireStaff(request);
  return unitOfWork.read(staff, async (tx) =>
    breakGlassPage({
      refused,
      news: newsIn(request, DONE),
      practice: await requireLinkPractice(tx),
      reader: staff,
      opener: mayOpenCharts(tx) ? await readProof(tx) : null,
      own: await listOwnOpenCharts(tx),
      openings: await listOpenings(tx, { page, limit: PAGE_ROWS }),
      isOfEverybody: await seesAllOpenings(tx),
      hasOfficer: await hasOtherOfficer(tx),
    }),
  );
}

async function readProof(tx: IdentityTx): Promise<'proven' | 'unproven'> {
  const { sessionId } = tx;
  return sessionId === null || (await isProofFresh(tx.prisma, { ...tx.practice, sessionId })) ? 'proven' : 'unproven';
}

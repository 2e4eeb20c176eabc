import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Database } from '../database/database.ts';
import { type CallerIdentity, jobCaller } from '../domain/caller.ts';
import { forbidden, invalid } from '../domain/errors.ts';
import { applyCarrierEvent } from '../domain/messaging/inbound/carrier-events.ts';
import type { UnitOfWork } from '../domain/unit-of-work/unit-of-work.ts';
import { type CallInstruction, type Carrier, type CarrierEvent, CarrierRefusal } from '../gateways/carrier/carrier.ts';
import { CARRIER_WEBHOOK } from '../gateways/carrier/create-carrier.ts';
import { logServerFailure, nameOperation, toFailure, toStatus } from '../http/errors/error-mapping.ts';
import { LARGEST_BODY } from '../http/requests/bodies.ts';
import type { Limits } from '../http/requests/limits.ts';
import { readOrigin } from '../http/wire/links.ts';

interface WebhookDeps {
  database: Database;
  unitOfWork: UnitOfWork;
  limits: Limits;
  gateways: { carrier: Carrier; local: { carrier: Carrier } };
}

const FORM = 'application/x-www-form-urlencoded';
/** A form in which no field stands twice. It stays the object that was parsed: a record of zod would lose a field `__proto__`, which is signed. */
const form = z.custom<Record<string, string>>(
  (sent) => typeof sent === 'object' && sent !== null && Object.values(sent).every((value) => typeof value === 'string'),
);

/**
 * Webhook for inbound events and delivery reports. Carriers call in bursts from few addresses, so only requests without
 * a valid signature are rate limited.
 */
export async function carrierWebhook(
  app: FastifyInstance,
  { database, unitOfWork, limits, gateways: { carrier: own, local } }: WebhookDeps,
): Promise<void> {
  const signer = ({ headers }: FastifyRequest) =>
    [own, local.carrier].find(({ signatureHeader }) => headers[signatureHeader] !== undefined);
  app.removeContentTypeParser('application/json');
  app.setErrorHandler(sendFailure);
  const options = {
    schema: { consumes: [FORM] },
    bodyLimit: LARGEST_BODY.signed,
    config: { takesGarbledText: true },
    async onRequest(request: FastifyRequest, reply: FastifyReply) {
      if (signer(request)) return;
      await limits.spend('address', request, reply);
      throw forbidden('wrong_signature', 'The request is not the carrier’s.');
    },
  };
  app.post(CARRIER_WEBHOOK, options, async (request, reply) => {
    const carrier = signer(request) ?? own;
    const events = await readEvents(carrier, limits, request, reply);
    const callerFor = (organizationId: number) => carrierCaller(request, organizationId);
    let instruction: CallInstruction = { kind: 'nothing' };
    for (const event of events) {
      const outcome = await applyCarrierEvent({ db: database.prisma, unitOfWork, callerFor, signal: request.deadline.signal }, event);
      if (outcome.arrival === 'ignored') request.log.info({ operation: nameOperation(request), kind: event.kind }, 'for nobody here');
      instruction = outcome.instruction;
    }
    const { contentType, body } = carrier.respond(instruction);
    return reply.type(contentType).send(body);
  });
}

/** @throws Failure forbidden for a request with a wrong signature, invalid for a signed one that cannot be read */
async function readEvents(carrier: Carrier, limits: Limits, request: FastifyRequest, reply: FastifyReply): Promise<CarrierEvent[]> {
  try {
    const read = form.safeParse(request.body ?? {});
    if (!read.success) throw new CarrierRefusal('malformed', 'A field occurs twice.');
    return await carrier.readWebhook({ url: `${readOrigin(request)}${request.url}`, headers: request.headers, form: read.data });
  } catch (error) {
    if (!(error instanceof CarrierRefusal)) throw error;
    await limits.spend('address', request, reply);
    throw error.code === 'wrong_signature' ? forbidden('wrong_signature', error.message) : invalid('body', error.message, error.code);
  }
}

function carrierCaller(request: FastifyRequest, organizationId: number): CallerIdentity {
  return {
    ...jobCaller(organizationId, 'carrier'),
    actor: 'carrier',
    operation: nameOperation(request),
    requestId: request.id,
    address: request.ip,
  };
}

/** Detailed for the operator who sets the carrier up; carriers use only the status. */
function sendFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const failure = toFailure(error, FORM);
  logServerFailure(failure, request);
  if (failure.retryAfter !== undefined) reply.header('retry-after', String(failure.retryAfter));
  return reply.code(toStatus(failure)).headers(failure.headers).send({ error: failure.code, message: failure.message });
}

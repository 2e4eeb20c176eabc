import type { Db } from '../../../database/database.ts';
import { preparedIn, statement } from '../../../database/statements/statement.ts';

export interface ClientInPractice {
  organizationId: number;
  clientId: string;
}

export interface AnsweredRequest extends ClientInPractice {
  at: Date;
  requestId: string;
  operation: string;
  status: number;
  code: string | null;
  fields: string[];
  warningFields: string[];
  latencyMs: number;
}

/** The requests of clients, which are stored some at a time. */
export interface RequestLog {
  add(request: AnsweredRequest): void;
  /** Stores what is waiting. Never fails: this is for looking things up, and nothing depends on it. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

const FLUSH_EVERY_MS = 1_000;
/** Successes of one client that are stored at a time; of more, these are a sample. Failures and warnings are all stored. */
const SUCCESSES = 10;
/** Rows that wait at most, also while the database is away. */
const MOST_WAITING = 5_000;

/** Values: organization, requests. */
const INSERT = statement<never>(
  'insert_client_requests',
  `INSERT INTO client_request (organization_id, at, client_id, request_id, operation, status, code, fields, warning_fields, latency_ms)
   SELECT $1::int, r.at, r."clientId", r."requestId", r.operation, r.status, r.code, r.fields, r."warningFields", r."latencyMs"
     FROM jsonb_to_recordset($2::jsonb) AS r (at timestamptz, "clientId" text, "requestId" text, operation text, status int,
          code text, fields text[], "warningFields" text[], "latencyMs" real)`,
);

export function createRequestLog(db: Db, onFailure: (error: unknown) => void): RequestLog {
  let waiting: AnsweredRequest[] = [];
  let successes = new Map<string, number>();
  let underWay = Promise.resolve();

  async function store(rows: AnsweredRequest[]): Promise<void> {
    for (const [organizationId, requests] of Map.groupBy(rows, (row) => row.organizationId))
      await preparedIn(db)
        .rows(INSERT, [organizationId, JSON.stringify(requests)])
        .catch(onFailure);
  }
  function flush(): Promise<void> {
    if (waiting.length > 0) {
      const rows = waiting;
      waiting = [];
      successes = new Map();
      underWay = underWay.then(() => store(rows));
    }
    return underWay;
  }
  const timer = setInterval(() => void flush(), FLUSH_EVERY_MS).unref();
  return {
    add(request) {
      if (request.status < 400 && request.warningFields.length === 0) {
        const stored = successes.get(request.clientId) ?? 0;
        if (stored >= SUCCESSES) return;
        successes.set(request.clientId, stored + 1);
      }
      if (waiting.length < MOST_WAITING) waiting.push(request);
    },
    flush,
    close() {
      clearInterval(timer);
      return flush();
    },
  };
}

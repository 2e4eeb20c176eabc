import type { FastifyInstance, FastifyRequest } from 'fastify';
import { VERSION } from '../../config/version.ts';
import type { Keyring } from '../../database/encryption/keyring.ts';
import { AGENT_SCOPES } from '../../domain/identity/clients/client-scopes.ts';
import { type AuthorizationDeps, authorize } from '../../http/endpoints/authorize.ts';
import type { Dialect } from '../../http/endpoints/dialect.ts';
import { LARGEST_BODY } from '../../http/requests/bodies.ts';
import { readOrigin } from '../../http/wire/links.ts';
import { type Ask, askAs, Refusal } from './ask.ts';
import { createDrafts } from './drafts.ts';
import { TOOLS } from './tools.ts';

const MCP_PATH = '/mcp';
const NEEDS = { scope: AGENT_SCOPES.read, appScope: 'mobile', roles: null } as const;

const INSTRUCTIONS =
  'Patients, appointments and texts of one practice. Writes take two steps: the first call returns a draft and a token; show the draft to a person. The second call, with only the token, executes it.';

interface McpDeps extends AuthorizationDeps {
  keyring: Keyring;
}

/**
 * The Model Context Protocol at /mcp, over streamable HTTP without sessions: revisions 2026-07-28 and 2025-11-25. For API clients with the
 * scope agent.read, and for people with their own tokens. The tools are requests to the mobile API.
 */
export async function mcp(app: FastifyInstance, deps: McpDeps, mobile: Dialect): Promise<void> {
  app.post(MCP_PATH, {
    bodyLimit: LARGEST_BODY.authorized,
    onRequest: async (request, reply) => {
      reply.header('cache-control', 'no-store');
      request.caller = await authorize(deps, mobile, NEEDS, request, reply);
      // The requests of the tools are recorded instead.
      request.clientInPractice = undefined;
    },
    handler: async (request, reply) => reply.send(await answer(request, deps.keyring, askAs(app, request))),
  });
}

/** Answers one message by the SDK, which is loaded with the first. */
async function answer(request: FastifyRequest, keyring: Keyring, ask: Ask): Promise<Response> {
  const { createMcpHandler, McpServer } = await import('@modelcontextprotocol/server');
  const { caller, body } = request;
  const { fetch } = createMcpHandler(() => {
    const server = new McpServer({ name: 'triptych', version: VERSION }, { instructions: INSTRUCTIONS });
    for (const { name, title, description, input, isReadOnly, run } of TOOLS)
      server.registerTool(name, { title, description, inputSchema: input, annotations: { readOnlyHint: isReadOnly } }, (given) =>
        toToolResult(run(given, ask, createDrafts(keyring, name, caller))),
      );
    return server;
  });
  const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' ? [[name, value]] : [],
  );
  return fetch(new Request(`${readOrigin(request)}${MCP_PATH}`, { method: 'POST', headers, body: JSON.stringify(body) }), {
    parsedBody: body,
  });
}

async function toToolResult(work: Promise<object>) {
  try {
    const found = await work;
    return { content: [{ type: 'text' as const, text: JSON.stringify(found) }], structuredContent: { ...found } };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { content: [{ type: 'text' as const, text: error.message }], isError: true };
  }
}

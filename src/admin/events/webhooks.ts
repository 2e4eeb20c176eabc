import type { Command } from 'commander';
import type { CommandDeclarer } from '../terminal/command.ts';
import type { Io } from '../terminal/io.ts';
import { listenCommand } from './webhook-listen.ts';

export function webhookCommands(program: Command, declare: CommandDeclarer, io: Io): void {
  const webhooks = program.command('webhooks').description('Events for webhook endpoints, which the file of a practice configures.');
  listenCommand(webhooks, declare, io);
}

import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { z } from 'zod';
import { Failure } from '../../domain/errors.ts';
import { createSurveyType, endSurveyType, listSurveyTypes, type SurveyTypeView } from '../../domain/messaging/check-ins/survey-types.ts';
import { questionsShape } from '../../domain/messaging/check-ins/surveys.ts';
import { LARGEST_LIMIT } from '../../domain/values/paging.ts';
import { isUtf8, oneLine } from '../../domain/values/text-form.ts';
import { validationMessage } from '../../http/input/validation-messages.ts';
import type { CommandDeclarer } from '../terminal/command.ts';
import { type Io, readInput } from '../terminal/io.ts';
import { id, organization, text } from '../terminal/options.ts';
import { list, type Row, record } from '../terminal/output.ts';

const surveyFile = z.object({ name: z.string().overwrite(oneLine).min(1).max(100), questions: questionsShape });

export function surveyCommands(program: Command, { command }: CommandDeclarer, io: Io): void {
  const surveys = program.command('surveys').description('Survey types: the questions of check-ins.');

  command(surveys, 'add', {
    summary: 'Add a survey type',
    details:
      'Its questions cannot be changed: end it and add another. The file is JSON: {"name": …, "questions": [{"key", "text", "kind": "text", "number", "choice", "scale" or "yes_no", "required", "choices", "min", "max", "minLabel", "maxLabel", "itemId"}]}. Urgent answers: "urgentIf" ("yes" or "no"), "urgentChoices", "urgentFrom", "urgentTo" of a scale, "urgentWords" of a text.',
    options: z.object({
      organization: organization(),
      file: text(1_000).describe('the file of the questions; - for standard input'),
    }),
    run: async ({ write }, { organization: organizationId, file }) => {
      const survey = readSurvey(file === '-' ? await readInput(io) : await contentOf(file));
      return record(row(await write(organizationId, (db, caller) => createSurveyType(db, caller, survey))));
    },
  });

  command(surveys, 'list', {
    summary: 'List the survey types of a practice, including ended ones',
    options: z.object({ organization: organization() }),
    run: async ({ read }, { organization: organizationId }) => {
      const whole = { page: 1, limit: LARGEST_LIMIT };
      const { items } = await read(organizationId, (db, caller) => listSurveyTypes(db, caller, undefined, whole));
      return list(items.map(row), 'The practice has no survey types yet.');
    },
  });

  command(surveys, 'end', {
    summary: 'Take a survey type out of use',
    details: 'It is not sent any more, by schedules neither. Surveys already sent can still be answered.',
    options: z.object({
      survey: id().meta({ positional: true }).describe('id of the survey type'),
      organization: organization(),
    }),
    run: async ({ write }, { survey, organization: organizationId }) =>
      record(row(await write(organizationId, (db, caller) => endSurveyType(db, caller, survey)))),
  });
}

async function contentOf(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => {
    throw wrong('The file cannot be read.');
  });
}

/** @throws Failure invalid that names what is wrong in the file */
function readSurvey(content: string): z.output<typeof surveyFile> {
  if (!isUtf8(content)) throw wrong('The file is not written in UTF-8.');
  let input: unknown;
  try {
    input = JSON.parse(content);
  } catch {
    throw wrong('The file is no JSON.');
  }
  const parsed = surveyFile.safeParse(input, { error: validationMessage, reportInput: true });
  if (parsed.success) {
    requireKnownFields(input, parsed.data);
    return parsed.data;
  }
  const [issue] = parsed.error.issues;
  throw wrong(`${issue?.path.map(String).join('.') || 'The file'}: ${issue?.message ?? 'is wrong'}.`);
}

const writtenQuestions = z.object({ questions: z.array(z.record(z.string(), z.unknown())) });

/** A misspelled mark of urgency would otherwise be lost. @throws Failure invalid for a field that a question of its kind does not have */
function requireKnownFields(input: unknown, { questions }: z.output<typeof surveyFile>): void {
  for (const [index, written] of writtenQuestions.parse(input).questions.entries()) {
    const question = questions[index];
    const unknown = Object.keys(written).find((field) => question && !Object.hasOwn(question, field));
    if (unknown !== undefined) throw wrong(`questions.${index}: a question of kind ${question?.kind} has no field "${unknown}".`);
  }
}

const wrong = (message: string) => new Failure('invalid', 'invalid_file', message);

const row = (survey: SurveyTypeView): Row => ({
  id: survey.id,
  name: survey.name,
  active: survey.active,
  questions: survey.questions.map(({ question, item }) => `${question.key} (${item ? `${question.kind}, ${item.name}` : question.kind})`),
});

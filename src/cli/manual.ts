import type { Command } from 'commander';

export interface Manual {
  readonly summary: string;
  readonly description: string;
  /** Variables without a flag. */
  readonly environment?: readonly (readonly [name: string, meaning: string])[];
  readonly examples: readonly (readonly [command: string, meaning: string])[];
  readonly exitCodes: readonly (readonly [code: number, meaning: string])[];
}

type Row = readonly [string | number, string];

function section(title: string, rows: readonly Row[]): string {
  const width = Math.max(0, ...rows.map(([name]) => String(name).length));
  const lines = rows.map(([name, meaning]) => `  ${String(name).padEnd(width)}  ${meaning}`);
  return rows.length === 0 ? '' : `\n${title}\n${lines.join('\n')}\n`;
}

function examplesSection(examples: Manual['examples']): string {
  const lines = examples.map(([command, meaning]) => `  # ${meaning}\n  ${command}`);
  return `\nEXAMPLES\n${lines.join('\n\n')}\n`;
}

/** The name after the names of the commands above it. */
function fullName(command: Command): string {
  return command.parent ? `${fullName(command.parent)} ${command.name()}` : command.name();
}

/** Makes the command's help read like a manual page. */
export function addManual(command: Command, manual: Manual): Command {
  const { summary, description, environment = [], examples, exitCodes } = manual;
  return command
    .helpOption('-h, --help', 'show this page')
    .summary(summary)
    .description(description)
    .configureHelp({ styleTitle: (title) => title.toUpperCase().replace(/:$/, '') })
    .addHelpText('before', () => `NAME\n  ${fullName(command)} - ${summary}\n`)
    .addHelpText(
      'after',
      section('ENVIRONMENT', environment) + examplesSection(examples) + section('EXIT CODES', exitCodes),
    );
}

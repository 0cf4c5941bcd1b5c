// Fields for the projects and networks that a key is limited to, collapsed by default.
import { Disclosure } from '../../ui/controls/disclosure.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { Textarea } from '../../ui/controls/input.tsx';
import { networksError, networksIn } from './networks.ts';
import { ProjectsField } from './projects-field.tsx';
import { texts } from './texts.ts';

export type Limits = { projectIds: readonly string[]; networks: string };

type Props = {
  limits: Limits;
  /** The projects to choose from; null for all projects. */
  among?: readonly string[] | null;
  errors: Readonly<Record<string, string>>;
  onLimits(limits: Limits): void;
  /** Called when the user has finished typing networks. */
  onNetworks?(): void;
};

const ROWS = 3;

export function LimitsFields({ limits, among = null, errors, onLimits, onNetworks }: Props) {
  const words = texts.limits;
  const { projectIds, networks } = limits;
  const networkError = networksError(errors, networks);
  const projectError = errors.project_ids ?? null;
  return (
    <Disclosure
      title={words.title}
      summary={words.set(projectIds.length, networksIn(networks).length) || words.none}
      hasError={(networkError ?? projectError) !== null}
    >
      <ProjectsField
        ids={projectIds}
        among={among}
        error={projectError}
        onIds={(ids) => onLimits({ ...limits, projectIds: ids })}
      />
      <Field label={words.networks} hint={words.networksHint} error={networkError}>
        {(control) => (
          <Textarea
            {...control}
            mono
            rows={ROWS}
            placeholder={words.networksPlaceholder}
            value={networks}
            onChange={({ target }) => onLimits({ ...limits, networks: target.value })}
            onBlur={onNetworks}
          />
        )}
      </Field>
    </Disclosure>
  );
}

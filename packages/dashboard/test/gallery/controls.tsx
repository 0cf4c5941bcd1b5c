// Buttons, inputs and choices.
import { useState } from 'react';
import { Button, LinkButton } from '../../src/ui/controls/button.tsx';
import { Choices } from '../../src/ui/controls/choices.tsx';
import { Combobox } from '../../src/ui/controls/combobox.tsx';
import { DateTime } from '../../src/ui/controls/date-time.tsx';
import { Disclosure } from '../../src/ui/controls/disclosure.tsx';
import { Field } from '../../src/ui/controls/field.tsx';
import { IconButton } from '../../src/ui/controls/icon-button.tsx';
import { Input, PasswordInput, Textarea } from '../../src/ui/controls/input.tsx';
import { limitsOf, ruleText } from '../../src/ui/controls/limits.ts';
import { LimitsChoice } from '../../src/ui/controls/limits-choice.tsx';
import { firstRule } from '../../src/ui/controls/rate-limits.tsx';
import { Scopes } from '../../src/ui/controls/scopes.tsx';
import { Select } from '../../src/ui/controls/select.tsx';
import { Tabs } from '../../src/ui/controls/tabs.tsx';
import { Checkbox, Switch } from '../../src/ui/controls/toggle.tsx';
import { Menu } from '../../src/ui/overlays/menu.tsx';
import { Tooltip } from '../../src/ui/overlays/tooltip.tsx';
import { FilterChip, FilterSearch, Filters } from '../../src/ui/tables/filters.tsx';
import { Block } from './block.tsx';

const nothing = () => {};

export const Controls = () => (
  <>
    <Block name="Button">
      <Button kind="primary" icon="plus">
        Create key
      </Button>
      <Button>Cancel</Button>
      <Button kind="quiet">Clear filters</Button>
      <Button kind="danger">Revoke live key</Button>
      <Button busy kind="primary">
        Create key
      </Button>
      <Button because="Only owners can do this.">Delete workspace</Button>
      <Button small>Try again</Button>
      <LinkButton to="/">Open</LinkButton>
    </Block>
    <Block name="IconButton, Tooltip, Menu">
      <IconButton icon="edit" label="Edit" />
      <Tooltip text="Monday, 14:05">
        <Button>Three minutes ago</Button>
      </Tooltip>
      <Menu
        label="Actions for Backend"
        groups={[
          [
            { label: 'Edit', icon: 'edit', onSelect: nothing },
            { label: 'Rotate', icon: 'rotate', onSelect: nothing },
          ],
          [
            { label: 'Revoke live key', icon: 'stop', danger: true, onSelect: nothing },
            {
              label: 'Delete',
              icon: 'trash',
              because: 'Only owners can do this.',
              onSelect: nothing,
            },
          ],
        ]}
      />
    </Block>
    <Texts />
    <Selects />
    <Lists />
  </>
);

function Texts() {
  const [text, setText] = useState('');
  return (
    <Block name="Field, Input, Textarea, Combobox">
      <Field label="Name" optional hint="Shown to members.">
        {(control) => <Input {...control} placeholder="Backend" />}
      </Field>
      <Field label="Prefix" error="This prefix is taken.">
        {(control) => <Input {...control} mono defaultValue="kr_live_a1b2" />}
      </Field>
      <Field label="Password">
        {(control) => <PasswordInput {...control} defaultValue="correct horse" />}
      </Field>
      <Field label="Metadata">
        {(control) => <Textarea {...control} mono defaultValue={'{ "plan": "pro" }'} />}
      </Field>
      <Field label="Tenant">
        {(control) => (
          <Combobox
            control={control}
            text={text}
            placeholder="Search by name or ID"
            none="No matching tenants"
            options={[
              { value: '1', label: 'Globex', note: 'customer-17' },
              { value: '2', label: 'Initech', note: 'customer-18' },
            ].filter(({ label }) => label.toLowerCase().includes(text.toLowerCase()))}
            create={{ label: (name) => `Create “${name}”`, onCreate: setText }}
            onText={setText}
            onChoose={({ label }) => setText(label)}
          />
        )}
      </Field>
    </Block>
  );
}

function Selects() {
  const [choice, setChoice] = useState('never');
  const [isOn, setOn] = useState(true);
  const [at, setAt] = useState<string | null>('2026-03-01T12:00:00.000Z');
  return (
    <Block name="Select, DateTime, Switch, Checkbox">
      <Field label="Expires">
        {(control) => (
          <Select
            {...control}
            value={choice}
            options={[
              { value: 'never', label: 'Never' },
              { value: '90', label: 'After 90 days' },
            ]}
            onValue={setChoice}
          />
        )}
      </Field>
      <Field label="At">
        {(control) => <DateTime control={control} value={at} onValue={setAt} />}
      </Field>
      <Switch label="Show revoked keys" checked={isOn} onChecked={setOn} />
      <Switch label="Off" hint="With a hint." checked={!isOn} onChecked={(on) => setOn(!on)} />
      <Checkbox label="keys:read" checked={isOn} onChecked={setOn} />
      <Checkbox label="Some" mixed checked={false} onChecked={nothing} />
    </Block>
  );
}

function Lists() {
  const [scopes, setScopes] = useState(['orders:read', 'orders:write']);
  const [limits, setLimits] = useState(limitsOf([firstRule]));
  const [state, setState] = useState<string | null>('active');
  const [purpose, setPurpose] = useState('node');
  const tabs = ['Overview', 'Usage', 'History', 'Metadata'].map((label) => ({
    id: label,
    label,
    to: '/',
    search: { tab: label },
  }));
  return (
    <>
      <Block name="Scopes, LimitsChoice">
        <Field label="Scopes">
          {(control) => <Scopes control={control} scopes={scopes} onScopes={setScopes} />}
        </Field>
        <div>
          <LimitsChoice
            of="key"
            limits={limits}
            inherited={[firstRule]}
            errors={{}}
            onLimits={setLimits}
          />
          <LimitsChoice of="key" limits={limitsOf([])} errors={{}} onLimits={nothing} />
          <p>{limits.rules.map(ruleText).join('; ')}</p>
        </div>
      </Block>
      <Block name="Choices, Disclosure">
        <Choices
          label="What is this key for?"
          value={purpose}
          options={[
            { value: 'node', label: 'A node', hint: 'Verifies keys.' },
            { value: 'backend', label: 'A backend', hint: 'Manages keys.' },
          ]}
          onValue={setPurpose}
        />
        <Disclosure title="Limits" summary="None" hasError={false}>
          <p>No limits.</p>
        </Disclosure>
      </Block>
      <Block name="Filters, Tabs">
        <Filters label="Filter keys" isActive={state !== null} onClear={() => setState(null)}>
          <FilterSearch label="Search keys" value="" onValue={nothing} />
          <FilterChip
            label="State"
            value={state}
            options={[
              { value: 'active', label: 'active' },
              { value: 'revoked', label: 'revoked' },
            ]}
            onValue={setState}
          />
          <FilterChip label="Project" value={null} options={[]} onValue={nothing} />
        </Filters>
        <Tabs label="Key" tabs={tabs} current="Usage" />
      </Block>
    </>
  );
}

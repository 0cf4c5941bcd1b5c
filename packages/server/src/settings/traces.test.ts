// Tracing settings: when tracing is on, how the settings are read, and which values are rejected.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '../config.ts';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };

function tracesIn(env: Record<string, string>) {
  const read = readConfig(env);
  if ('faults' in read) throw new Error(read.faults.join('\n'));
  return read.config.traces;
}

const faultsIn = (env: Record<string, string>): string[] => {
  const read = readConfig({ ...ENDPOINT, ...env });
  return 'faults' in read ? read.faults : [];
};

test('setting a collector URL or the exporter turns tracing on', () => {
  const usual = {
    protocol: 'http/protobuf',
    sampler: 'parentbased_always_on',
    ratio: 1,
    continues: true,
    delayMs: 5000,
    queueMax: 2048,
  };
  deepEqual(tracesIn(ENDPOINT), usual);
  const traces = 'https://key@collector.example/v1/traces';
  deepEqual(tracesIn({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: traces }), usual);
  deepEqual(tracesIn({ OTEL_TRACES_EXPORTER: 'otlp' }), usual);
  for (const off of [
    { OTEL_RESOURCE_ATTRIBUTES: 'service.name=keyrail', OTEL_TRACES_SAMPLER: 'always_on' },
    { ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none' },
    { ...ENDPOINT, OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
  ]) {
    equal(tracesIn(off), null);
  }
});

test('every tracing setting is read', () => {
  const wanted = {
    ...ENDPOINT,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json',
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.25',
    OTEL_PROPAGATORS: 'none',
    OTEL_BSP_SCHEDULE_DELAY: '100',
    OTEL_BSP_MAX_QUEUE_SIZE: '512',
  };
  deepEqual(tracesIn(wanted), {
    protocol: 'http/json',
    sampler: 'parentbased_traceidratio',
    ratio: 0.25,
    continues: false,
    delayMs: 100,
    queueMax: 512,
  });
});

test('an invalid value is reported with the name of its setting, but without the URL', () => {
  const samplers =
    'always_on, always_off, traceidratio, parentbased_always_on, parentbased_always_off, parentbased_traceidratio';
  const faults = {
    OTEL_EXPORTER_OTLP_ENDPOINT: ['collector:4318', 'must be an http:// or https:// URL'],
    OTEL_EXPORTER_OTLP_PROTOCOL: ['grpc', 'must be one of http/protobuf, http/json: grpc'],
    OTEL_TRACES_EXPORTER: ['console', 'must be one of otlp, none: console'],
    OTEL_TRACES_SAMPLER: ['some', `must be one of ${samplers}: some`],
    OTEL_TRACES_SAMPLER_ARG: ['2', 'must be a number from 0 to 1: 2'],
    OTEL_PROPAGATORS: ['b3', 'must be one of tracecontext, baggage, none: b3'],
    OTEL_BSP_SCHEDULE_DELAY: ['0', 'must be a whole number, 1 to 60000: 0'],
    OTEL_BSP_MAX_QUEUE_SIZE: ['100', 'must be a whole number, 512 to 100000: 100'],
    OTEL_SDK_DISABLED: ['yes', 'must be one of true, false: yes'],
  };
  for (const [name, [value = '', says]] of Object.entries(faults)) {
    deepEqual(faultsIn({ [name]: value }), [`${name} ${says}`]);
  }
});

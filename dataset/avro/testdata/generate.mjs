// Writes js-*.avro with avsc, Avro for JavaScript: other code than the reader.
//
//	npm install avsc@5.7.9
//	node generate.mjs .
import avro from 'avsc';
import fs from 'fs';
// Logical types as they are in bytes; avsc forgets those that it has no class for.
class Decimal extends avro.types.LogicalType {
  _fromValue(v) { return v; }
  _toValue(v) { return v; }
  _export(a) { Object.assign(a, { precision: 9, scale: 2 }); }
}
class Time extends avro.types.LogicalType {
  _fromValue(v) { return v; }
  _toValue(v) { return v; }
}
const type = avro.Type.forSchema({
  type: 'record', name: 'Row', namespace: 'test', fields: [
    { name: 'i32', type: ['null', 'int'] },
    { name: 'f64', type: 'double' },
    { name: 'f32', type: 'float' },
    { name: 'i64', type: 'long' },
    { name: 'flag', type: 'boolean' },
    { name: 'proto', type: ['null', { type: 'enum', name: 'Proto', symbols: ['icmp', 'tcp', 'udp'] }] },
    { name: 'price', type: { type: 'bytes', logicalType: 'decimal', precision: 9, scale: 2 } },
    { name: 'when', type: { type: 'long', logicalType: 'timestamp-millis' } },
    { name: 'pair', type: { type: 'array', items: ['null', 'double', 'string'] } },
    { name: 'inner', type: { type: 'record', name: 'Inner', fields: [{ name: 'm', type: { type: 'map', values: 'int' } }, { name: 'next', type: ['null', 'Inner'] }] } },
    { name: 'either', type: ['int', 'string'] },
    { name: 'y', type: 'string' },
  ],
}, { wrapUnions: true, logicalTypes: { decimal: Decimal, 'timestamp-millis': Time } });
const i32 = [1, -2, 3, null, 5, 6, 7], f64 = [0.5, 1.5, 2.5, 3.5, 4.5, -5.5, 6.5];
const i64 = [1, 2, 3, 4, 5, 6, -4503599627370495], flag = [true, false, true, true, false, false, true];
const proto = ['tcp', 'udp', 'tcp', 'icmp', 'tcp', null, 'udp'], y = ['a', 'b', 'a', 'b', 'a', 'b', 'b'];
const rows = i32.map((v, k) => ({
  i32: v === null ? null : { int: v }, f64: f64[k], f32: k / 4, i64: i64[k], flag: flag[k],
  proto: proto[k] === null ? null : { 'test.Proto': proto[k] },
  price: Buffer.from(k % 2 ? [0xff, 0x85] : [0x30, 0x39]), // −1.23 and 123.45
  when: 1e12 + k * 1e6, pair: [null, { double: k }, { string: 'x' }],
  inner: { m: { a: k, b: -k }, next: k % 2 ? { 'test.Inner': { m: {}, next: null } } : null },
  either: k % 2 ? { int: k } : { string: 'w' }, y: y[k],
}));
for (const codec of ['null', 'deflate']) {
  const encoder = new avro.streams.BlockEncoder(type, { codec, blockSize: 150 }); // several blocks
  encoder.pipe(fs.createWriteStream(`${process.argv[2]}/js-${codec}.avro`));
  for (const r of rows) encoder.write(r);
  encoder.end();
}

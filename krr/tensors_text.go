package krr

import (
	"slices"
	"unicode/utf8"
)

// Labels and names are texts of the user's files, in whatever encoding these have, and JSON
// holds UTF-8 only. Where a text is not UTF-8 its bytes go into a second value of the metadata,
// KEY.bytes, a list in base64, which readers prefer.

func (t *tensors) setTexts(key string, texts []string) {
	t.SetJSON(key, texts)
	t.setBytes(key, texts)
}

func (t *tensors) setBytes(key string, texts []string) {
	if !slices.ContainsFunc(texts, func(s string) bool { return !utf8.ValidString(s) }) {
		return
	}
	raw := make([][]byte, len(texts))
	for i, s := range texts {
		raw[i] = []byte(s)
	}
	t.SetJSON(key+".bytes", raw)
}

// texts returns what setTexts stored, or nil.
func (p *parsed) texts(key string) (texts []string) {
	p.JSON(key, &texts)
	return p.bytes(key, texts)
}

func (p *parsed) bytes(key string, texts []string) []string {
	var raw [][]byte
	p.JSON(key+".bytes", &raw)
	if raw != nil && len(raw) != len(texts) {
		p.Bad("metadata %q has %d texts, %q %d", key, len(texts), key+".bytes", len(raw))
		return texts
	}
	for i, b := range raw {
		texts[i] = string(b)
	}
	return texts
}

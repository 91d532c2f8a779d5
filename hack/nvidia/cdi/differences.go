package main

import (
	"fmt"
	"os"
	"regexp"
	"sort"
	"strings"
)

// A difference that is meant: a line of "SIDE | FACT | reason", where a star in FACT stands for anything.
type difference struct {
	line string
	side string
	fact *regexp.Regexp
	used bool
}

type differences struct {
	file string
	all  []*difference
}

func readDifferences(file string) (*differences, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	known := &differences{file: file}
	for number, line := range strings.Split(string(text), "\n") {
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(line, " | ")
		if len(fields) != 3 {
			return nil, fmt.Errorf("%s:%d: not SIDE | FACT | reason: %s", file, number+1, line)
		}
		known.all = append(known.all, &difference{line: line, side: strings.TrimSpace(fields[0]), fact: pattern(strings.TrimSpace(fields[1]))})
	}
	return known, nil
}

// only tells what one side alone does and should not.
func (d *differences) only(side string, has, lacks map[string]bool) []string {
	var problems []string
	for fact := range has {
		if !lacks[fact] && !d.has(side, fact) {
			problems = append(problems, fmt.Sprintf("only the %s has %s", side, fact))
		}
	}
	sort.Strings(problems)
	return problems
}

func (d *differences) has(side, fact string) bool {
	for _, one := range d.all {
		if one.side == side && one.fact.MatchString(fact) {
			one.used = true
			return true
		}
	}
	return false
}

// pattern is a regular expression for a fact in which a star stands for anything.
func pattern(fact string) *regexp.Regexp {
	return regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(fact), `\*`, ".*") + "$")
}

func (d *differences) unused() []string {
	var problems []string
	for _, one := range d.all {
		if !one.used {
			problems = append(problems, fmt.Sprintf("%s: there is no such difference: %s", d.file, one.line))
		}
	}
	return problems
}

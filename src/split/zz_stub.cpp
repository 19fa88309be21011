#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include "armsim/costs.h"
namespace sidecore::armsim {
const Board& pi4(){static const Board b{"pi4",Core::cortex_a72,4,1.5e9,5e9};return b;}
const Board& pi5(){static const Board b{"pi5",Core::cortex_a76,4,2.4e9,10e9};return b;}
std::optional<Cycles> kernel_cycles(Core,std::string_view k,std::string_view i,int bits,Implementation){
  static const auto t=[]{std::map<std::string,double> u; std::ifstream in("/work/split-model/docs/neon-instructions.md"); std::string l;
  while(std::getline(in,l)){ if(l.rfind("| ",0)!=0) continue; std::vector<std::string> c; std::stringstream s(l); std::string x; while(std::getline(s,x,'|')){auto a=x.find_first_not_of(' ');c.push_back(a==std::string::npos?"":x.substr(a,x.find_last_not_of(' ')-a+1));} if(c.size()>6) u[c[1]+"|"+c[2]+"|"+c[3]]=atof(c[6].c_str()); } return u;}();
  auto f=t.find(std::string(k)+"|"+std::string(i)+"|"+std::to_string(bits)); if(f==t.end()) return std::nullopt; return Cycles{f->second*.5,f->second*.7,f->second*.9};}
const StreamCosts& stream_costs(Core){auto all=[](double v){return Cycles{v*.7,v,v*1.3};}; static const StreamCosts s{all(15),all(60),all(40),all(60),all(40),all(25),all(5)};return s;}
}
